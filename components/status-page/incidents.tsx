"use client";

import { Pencil, Plus, Trash2 } from "lucide-react";
import { useLocale, useTranslations } from "next-intl";
import { useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Time } from "@/components/format/time";
import { Badge, type Hue } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import type { Incident, IncidentState } from "@/lib/status-page/types";
import { deleteIncident } from "./actions";
import { IncidentForm } from "./incident-form";

const HUES: Record<IncidentState, Hue> = {
  investigating: "red",
  identified: "orange",
  monitoring: "blue",
  resolved: "green",
};

type IncidentsProps = {
  incidents: Incident[];
  /** For administrators. */
  canEdit: boolean;
};

/** What happened, newest first. Nothing where nothing did and nobody may write. */
export function Incidents({ incidents, canEdit }: IncidentsProps) {
  const t = useTranslations("statusPage");
  const [shown, setShown] = useState<Incident | "new" | null>(null);
  const [doomed, setDoomed] = useState<Incident | null>(null);
  const { pending, run } = useRunAction();
  if (incidents.length === 0 && !canEdit) return null;
  return (
    <section aria-label={t("incidents")} className="rounded-lg border bg-surface">
      <div className="flex items-center justify-between gap-3 border-b px-4 py-2.5">
        <h2 dir="auto" className="font-medium">
          {t("incidents")}
        </h2>
        {canEdit ? (
          <Button size="md" onClick={() => setShown("new")}>
            <Plus aria-hidden />
            {t("newIncident")}
          </Button>
        ) : null}
      </div>
      {incidents.length === 0 ? <p className="px-4 py-3 text-muted-foreground">{t("noIncidents")}</p> : null}
      <ul className="divide-y">
        {incidents.map((incident) => (
          <IncidentItem
            key={incident.id}
            incident={incident}
            onEdit={canEdit ? () => setShown(incident) : null}
            onDelete={canEdit ? () => setDoomed(incident) : null}
          />
        ))}
      </ul>
      {canEdit && shown ? (
        <IncidentForm incident={shown === "new" ? null : shown} onClose={() => setShown(null)} />
      ) : null}
      {canEdit && doomed ? (
        <ConfirmDialog
          open
          onClose={() => setDoomed(null)}
          onConfirm={() =>
            run(
              () => deleteIncident({ id: doomed.id }),
              () => setDoomed(null),
            )
          }
          pending={pending}
          title={t("deleteTitle")}
          text={t("deleteText")}
          confirm={t("delete")}
        />
      ) : null}
    </section>
  );
}

type IncidentItemProps = { incident: Incident; onEdit: (() => void) | null; onDelete: (() => void) | null };

function IncidentItem({ incident, onEdit, onDelete }: IncidentItemProps) {
  const t = useTranslations("statusPage");
  const locale = useLocale();
  const [title, text] =
    locale === "zh"
      ? [incident.titleZh || incident.titleEn, incident.textZh || incident.textEn]
      : [incident.titleEn || incident.titleZh, incident.textEn || incident.textZh];
  return (
    <li className="flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <Badge hue={HUES[incident.state]}>{t(`state.${incident.state}`)}</Badge>
        <h3 className="min-w-0 break-words font-medium" dir="auto" data-user-text>
          {title}
        </h3>
        <span className="ml-auto flex gap-1">
          {onEdit ? (
            <Button variant="ghost" size="icon" aria-label={t("editOf", { title })} onClick={onEdit}>
              <Pencil />
            </Button>
          ) : null}
          {onDelete ? (
            <Button variant="ghost" size="icon" aria-label={t("deleteOf", { title })} onClick={onDelete}>
              <Trash2 />
            </Button>
          ) : null}
        </span>
      </div>
      {text === "" ? null : (
        <p className="whitespace-pre-line break-words" dir="auto" data-user-text>
          {text}
        </p>
      )}
      <p className="text-muted-foreground text-xs">
        <Time seconds={incident.startedAt} /> –{" "}
        {incident.resolvedAt === null ? t("ongoing") : <Time seconds={incident.resolvedAt} />}
      </p>
    </li>
  );
}
