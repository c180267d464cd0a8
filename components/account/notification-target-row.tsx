"use client";

import { Pencil, SendHorizontal } from "lucide-react";
import { useTranslations } from "next-intl";
import { DeleteRowButton } from "@/components/form/delete-row-button";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Button } from "@/components/ui/button";
import { Switch } from "@/components/ui/switch";
import { toast } from "@/components/ui/toast";
import type { NotificationTarget } from "@/lib/notify/types";
import { deleteTarget, setTargetEnabled, testTarget } from "./notification-actions";
import { KindIcon } from "./notification-kind";

type RowProps = {
  target: NotificationTarget;
  accountEmail: string;
  onEdit: () => void;
};

export function NotificationTargetRow({ target, accountEmail, onEdit }: RowProps) {
  const t = useTranslations("notify");
  const { pending, run } = useRunAction();
  const { id, kind, enabled } = target;
  const name = target.name || t(`kind.${kind}`);
  const onTest = () =>
    run(
      () => testTarget({ id }),
      () => toast.success(t("tested"), { duration: 1500 }),
    );
  return (
    <li className="flex flex-wrap items-start gap-3 py-3 first:pt-0 last:pb-0" aria-label={name}>
      <KindIcon kind={kind} />
      <div className="min-w-44 flex-1">
        <p className="font-medium">{name}</p>
        <p dir="auto" className="break-all text-muted-foreground text-xs">
          {[target.name ? t(`kind.${kind}`) : "", hintOf(target, accountEmail, t("accountAddress"))]
            .filter(Boolean)
            .join(" · ")}
        </p>
        <TargetState target={target} />
      </div>
      <div className="flex items-center gap-1">
        <Switch
          checked={enabled}
          disabled={pending}
          aria-label={t("on", { name })}
          className="mr-1"
          onCheckedChange={(next) => run(() => setTargetEnabled({ id, enabled: next }))}
        />
        <Button variant="ghost" size="icon" aria-label={t("testOf", { name })} pending={pending} onClick={onTest}>
          {pending ? null : <SendHorizontal />}
        </Button>
        <RowButtons id={id} name={name} onEdit={onEdit} />
      </div>
    </li>
  );
}

function hintOf({ kind, hint }: NotificationTarget, accountEmail: string, account: string): string {
  if (kind !== "email" || hint !== "") return hint;
  return accountEmail === "" ? account : `${account} · ${accountEmail}`;
}

/** The number of subscribed events, the time of the last delivery, and the error if it failed. */
function TargetState({ target }: { target: NotificationTarget }) {
  const t = useTranslations("notify");
  const { events, lastSentAt, lastError } = target;
  return (
    <>
      <p className="mt-1 text-muted-foreground text-xs">
        {events.length === 0 ? t("noEvents") : t("eventCount", { count: events.length })}
        {" · "}
        {lastSentAt === null ? (
          t("neverSent")
        ) : (
          <>
            {t("lastSent")}
            <Time seconds={lastSentAt} />
          </>
        )}
      </p>
      {lastError ? (
        <p dir="auto" className="mt-1 break-words text-destructive text-xs">
          {t("lastError", { error: lastError })}
        </p>
      ) : null}
    </>
  );
}

type RowButtonsProps = { id: number; name: string; onEdit: () => void };

function RowButtons({ id, name, onEdit }: RowButtonsProps) {
  const t = useTranslations("notify");
  const common = useTranslations("common");
  return (
    <>
      <Button variant="ghost" size="icon" aria-label={`${common("edit")} ${name}`} onClick={onEdit}>
        <Pencil />
      </Button>
      <DeleteRowButton
        name={name}
        title={t("deleteTitle", { name })}
        text={t("deleteText")}
        onDelete={() => deleteTarget({ id })}
      />
    </>
  );
}
