"use client";

import { Eye, EyeOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { isHashOnly } from "@/lib/key-hint";
import { revealToken } from "./actions";

type TokenKeyProps = { token: { id: number; name: string; keyHint: string } };

/** A key that came from another system as a hash: it works, and nobody can show it. */
function HashOnlyKey({ token: { id, keyHint } }: TokenKeyProps) {
  const t = useTranslations("token");
  return (
    <span className="flex min-w-0 flex-col text-muted-foreground text-xs">
      <code className="whitespace-nowrap font-mono" data-testid={`token-key-${id}`}>{`sk-${keyHint}`}</code>
      <span>{t("keyHashOnly")}</span>
    </span>
  );
}

/** The first and last characters of a key; the owner can fetch the whole key. */
export function TokenKey({ token }: TokenKeyProps) {
  const t = useTranslations("token");
  const { pending, run, call } = useRunAction();
  const [key, setKey] = useState<string | null>(null);
  const onToggle = () => (key === null ? run(() => revealToken({ id: token.id }), setKey) : setKey(null));
  const fetchKey = async () => key ?? (await call(() => revealToken({ id: token.id })))?.data ?? null;
  const { name } = token;
  if (isHashOnly(token)) return <HashOnlyKey token={token} />;
  return (
    <span className="flex min-w-0 items-center gap-0.5">
      <code
        className={cn(
          "mr-1 select-all font-mono font-normal text-muted-foreground text-xs",
          key === null ? "whitespace-nowrap" : "break-all",
        )}
        data-testid={`token-key-${token.id}`}
      >
        {key ?? `sk-${token.keyHint}`}
      </code>
      <Button
        variant="ghost"
        size="icon"
        className="size-7 text-muted-foreground"
        aria-label={key === null ? t("revealOf", { name }) : t("hideOf", { name })}
        pending={pending}
        onClick={onToggle}
      >
        {pending ? null : key === null ? <Eye /> : <EyeOff />}
      </Button>
      <CopyButton
        variant="ghost"
        size="icon"
        className="size-7 text-muted-foreground"
        aria-label={t("copyKeyOf", { name })}
        text={fetchKey}
      />
    </span>
  );
}
