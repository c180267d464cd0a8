"use client";

import { Bell, Plus } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { EmptyList } from "@/components/data-table/list-parts";
import { Card } from "@/components/form/card";
import { Button } from "@/components/ui/button";
import type { NotificationEvent } from "@/lib/notify/events";
import type { NotificationTarget } from "@/lib/notify/types";
import { NotificationSecretDialog } from "./notification-secret-dialog";
import { NotificationTargetForm } from "./notification-target-form";
import { NotificationTargetRow } from "./notification-target-row";

type NotificationTargetsProps = {
  targets: NotificationTarget[];
  /** The events that the user may subscribe to. */
  events: NotificationEvent[];
  accountEmail: string;
  canBindWeChat: boolean;
};

/** The drawer state is in the URL, so that links can open it. */
const drawerParams = { target: parseAsInteger, targets: parseAsStringLiteral(["new"]) };

export function NotificationTargets({ targets, events, accountEmail, canBindWeChat }: NotificationTargetsProps) {
  const t = useTranslations("notify");
  const [drawer, setDrawer] = useQueryStates(drawerParams);
  const [madeSecret, setMadeSecret] = useState<string | null>(null);
  const edited = targets.find(({ id }) => id === drawer.target) ?? null;
  const add = (
    <Button size="md" variant="primary" onClick={() => setDrawer({ targets: "new", target: null })}>
      <Plus aria-hidden />
      {t("add")}
    </Button>
  );
  const onClose = () => void setDrawer({ targets: null, target: null });
  return (
    <Card title={t("sectionTitle")} lead={t("sectionLead")} action={targets.length > 0 ? add : undefined}>
      {targets.length === 0 ? (
        <EmptyList icon={<Bell />} title={t("empty")} text={t("emptyText")}>
          {add}
        </EmptyList>
      ) : (
        <ul className="flex flex-col divide-y">
          {targets.map((target) => (
            <NotificationTargetRow
              key={target.id}
              target={target}
              accountEmail={accountEmail}
              onEdit={() => setDrawer({ target: target.id, targets: null })}
            />
          ))}
        </ul>
      )}
      {edited || drawer.targets ? (
        <NotificationTargetForm
          key={edited?.id ?? "new"}
          target={edited}
          events={events}
          canBindWeChat={canBindWeChat}
          onClose={onClose}
          onSecret={setMadeSecret}
        />
      ) : null}
      <NotificationSecretDialog secret={madeSecret} onClose={() => setMadeSecret(null)} />
    </Card>
  );
}
