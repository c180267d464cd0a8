"use client";

import type { PublicKeyCredentialCreationOptionsJSON } from "@simplewebauthn/browser";
import { KeyRound, Pencil, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { usePasskey } from "@/components/auth/use-passkey";
import { Card } from "@/components/form/card";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { toast } from "@/components/ui/toast";
import type { OwnPasskey } from "@/lib/auth/factor-queries";
import { deletePasskey, finishPasskey, renamePasskey, startPasskey } from "./security-actions";
import { PasskeyNameDialog } from "./security-passkey-name";

export function SecurityPasskeys({ passkeys }: { passkeys: OwnPasskey[] }) {
  const t = useTranslations("security");
  const add = <AddPasskey number={passkeys.length + 1} />;
  return (
    <Card title={t("passkeyTitle")} lead={t("passkeyLead")} action={add}>
      {passkeys.length === 0 ? (
        <p className="text-muted-foreground">{t("passkeyEmpty")}</p>
      ) : (
        <ul className="divide-y">
          {passkeys.map((passkey) => (
            <PasskeyRow key={passkey.id} passkey={passkey} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function AddPasskey({ number }: { number: number }) {
  const t = useTranslations("security");
  const browser = usePasskey();
  const { pending, run, call } = useRunAction();
  const onOptions = async (options: PublicKeyCredentialCreationOptionsJSON) => {
    const made = await browser.make(options);
    if (!made.ok) return void toast.error(made.message, { duration: 5000 });
    const name = t("passkeyDefaultName", { number });
    const kept = await call(() => finishPasskey({ name, response: made.response }));
    if (kept) toast.success(t("passkeyAdded"), { duration: 1500 });
  };
  return (
    <Button variant="primary" onClick={() => run(() => startPasskey({}), onOptions)} pending={pending}>
      {pending ? null : <KeyRound />}
      {t("passkeyAdd")}
    </Button>
  );
}

function PasskeyRow({ passkey }: { passkey: OwnPasskey }) {
  const t = useTranslations("security");
  const { pending, run } = useRunAction();
  const [asking, setAsking] = useState<"rename" | "delete" | null>(null);
  const stopAsking = () => setAsking(null);
  const { id, name, createdAt, lastUsedAt } = passkey;
  return (
    <li className="flex items-center gap-3 py-2.5 first:pt-0 last:pb-0">
      <KeyRound className="size-4 shrink-0 text-muted-foreground" aria-hidden />
      <div className="min-w-0 flex-1">
        <p dir="auto" className="break-words font-medium">
          {name}
        </p>
        <p className="text-muted-foreground text-xs">
          {t.rich("passkeyMade", { time: () => <Time seconds={createdAt} /> })}
          <span className="mx-1.5" aria-hidden>
            ·
          </span>
          {lastUsedAt === null ? t("neverUsed") : t.rich("lastUsed", { time: () => <Time seconds={lastUsedAt} /> })}
        </p>
      </div>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t("passkeyRenameOf", { name })}
        onClick={() => setAsking("rename")}
      >
        <Pencil />
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t("passkeyDeleteOf", { name })}
        onClick={() => setAsking("delete")}
      >
        <Trash2 />
      </Button>
      {asking === "rename" ? (
        <PasskeyNameDialog
          name={name}
          pending={pending}
          onSubmit={(change, onFailure) => run(() => renamePasskey({ id, ...change }), stopAsking, onFailure)}
          onClose={stopAsking}
        />
      ) : null}
      <ConfirmDialog
        open={asking === "delete"}
        onClose={stopAsking}
        onConfirm={() => run(() => deletePasskey({ id }))}
        pending={pending}
        title={t("passkeyDeleteTitle", { name })}
        text={t("passkeyDeleteText")}
        confirm={t("passkeyDelete")}
      />
    </li>
  );
}
