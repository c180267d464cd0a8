"use client";

import { Eye, EyeOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { revealRedemptions } from "./actions";

type RedemptionKeyProps = { code: { id: number; hint: string } };

/** The first and last characters of a code; the whole code is fetched only to show or copy it. */
export function RedemptionKey({ code }: RedemptionKeyProps) {
  const t = useTranslations("redemption");
  const { pending, run, call } = useRunAction();
  const [key, setKey] = useState<string | null>(null);
  const { id } = code;
  const onToggle = () =>
    key === null
      ? run(
          () => revealRedemptions({ ids: [id] }),
          ([found]) => setKey(found?.key ?? null),
        )
      : setKey(null);
  const fetchKey = async () => key ?? (await call(() => revealRedemptions({ ids: [id] })))?.data[0]?.key ?? null;
  return (
    <span className="flex min-w-0 items-center gap-0.5">
      <code
        dir="auto"
        data-testid={`code-${id}`}
        className="mr-1 select-all break-all font-mono text-muted-foreground text-xs"
      >
        {key ?? code.hint}
      </code>
      <Button
        variant="ghost"
        size="icon"
        className="size-7 text-muted-foreground"
        aria-label={key === null ? t("reveal", { id: String(id) }) : t("hide", { id: String(id) })}
        pending={pending}
        onClick={onToggle}
      >
        {pending ? null : key === null ? <Eye /> : <EyeOff />}
      </Button>
      <CopyButton
        variant="ghost"
        size="icon"
        className="size-7 text-muted-foreground"
        aria-label={t("copy", { id: String(id) })}
        text={fetchKey}
      />
    </span>
  );
}
