"use client";

import { BellRing, Plus } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from "nuqs";
import { EmptyList, ListHeader } from "@/components/data-table/list-parts";
import { Card } from "@/components/form/card";
import { Button } from "@/components/ui/button";
import type { AlertChoices } from "@/lib/alert/queries";
import type { AlertFiring, AlertRule } from "@/lib/alert/types";
import { AlertForm } from "./alert-form";
import { AlertHistory } from "./alert-history";
import { AlertRow } from "./alert-row";

type AlertsProps = {
  rules: AlertRule[];
  firings: AlertFiring[];
  choices: AlertChoices;
  models: string[];
  isAdmin: boolean;
};

/** The drawer state is in the URL, so that links can open it. */
const drawerParams = { alert: parseAsInteger, alerts: parseAsStringLiteral(["new"]) };

export function Alerts({ rules, firings, choices, models, isAdmin }: AlertsProps) {
  const t = useTranslations("alert");
  const [drawer, setDrawer] = useQueryStates(drawerParams);
  const edited = rules.find(({ id }) => id === drawer.alert) ?? null;
  const add = (
    <Button size="md" variant="primary" onClick={() => setDrawer({ alerts: "new", alert: null })}>
      <Plus aria-hidden />
      {t("add")}
    </Button>
  );
  const onClose = () => void setDrawer({ alerts: null, alert: null });
  return (
    <>
      <ListHeader title={t("title")} lead={t("lead")} action={rules.length > 0 ? add : undefined} />
      <div className="flex flex-col gap-4">
        <Card title={t("rules")}>
          {rules.length === 0 ? (
            <EmptyList icon={<BellRing aria-hidden />} title={t("empty")} text={t("emptyText")}>
              {add}
            </EmptyList>
          ) : (
            <ul className="flex flex-col divide-y">
              {rules.map((rule) => (
                <AlertRow key={rule.id} rule={rule} onEdit={() => setDrawer({ alert: rule.id, alerts: null })} />
              ))}
            </ul>
          )}
        </Card>
        <Card title={t("history")} lead={t("historyLead")}>
          <AlertHistory firings={firings} />
        </Card>
      </div>
      {edited || drawer.alerts ? (
        <AlertForm
          key={edited?.id ?? "new"}
          rule={edited}
          choices={choices}
          models={models}
          isAdmin={isAdmin}
          onClose={onClose}
        />
      ) : null}
    </>
  );
}
