"use client";

import { useTranslations } from "next-intl";
import { type FormEvent, useId } from "react";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { type ClashingEdit, EditClashes } from "@/components/form/edit-clashes";
import type { EditShape } from "@/components/form/edit-draft";
import { Field } from "@/components/form/field";
import { type MomentText, NO_MOMENT, readMoment, toMomentText } from "@/components/form/moment";
import { MomentFields } from "@/components/form/moment-input";
import { useDiscard } from "@/components/form/use-discard";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { Modal } from "@/components/overlay/modal";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import { Textarea } from "@/components/ui/textarea";
import { INCIDENT_STATES, type Incident, type IncidentState } from "@/lib/status-page/types";
import { saveIncident } from "./actions";

type Draft = Record<"titleEn" | "titleZh" | "textEn" | "textZh", string> &
  Record<"startedAt" | "resolvedAt", MomentText> & { state: IncidentState };

type IncidentFormProps = {
  /** Null = a new one. */
  incident: Incident | null;
  onClose: () => void;
};

const nowText = () => toMomentText(Math.floor(Date.now() / 1_000));

function toDraft(incident: Incident | null): Draft {
  if (!incident)
    return {
      titleEn: "",
      titleZh: "",
      textEn: "",
      textZh: "",
      state: "investigating",
      startedAt: nowText(),
      resolvedAt: NO_MOMENT,
    };
  const { id: _, startedAt, resolvedAt, ...rest } = incident;
  return {
    ...rest,
    startedAt: toMomentText(startedAt),
    resolvedAt: toMomentText(resolvedAt),
  };
}

/** Unix seconds; not a number for no moment, which the server refuses. */
const toSeconds = (text: MomentText) => readMoment(text) ?? Number.NaN;

const SHAPE: EditShape<Incident, Draft, Omit<Incident, "id">> = {
  together: [["state", "resolvedAt"]],
  toDraft,
  toInput: ({ startedAt, resolvedAt, ...texts }: Draft) => ({
    ...texts,
    startedAt: toSeconds(startedAt),
    resolvedAt: readMoment(resolvedAt) === null ? null : toSeconds(resolvedAt),
  }),
};

/** Writes an incident in both languages; one is enough, and readers of the other then see it too. */
export function IncidentForm({ incident, onClose }: IncidentFormProps) {
  const t = useTranslations("statusPage");
  const formId = useId();
  const { pending, run } = useRunAction();
  const edit = useEdit(incident, SHAPE);
  const { draft, errors, setErrors, onChange, onFailure } = edit;
  const { close, question } = useDiscard(edit.dirty, onClose);
  const onState = (state: IncidentState) =>
    onChange({
      state,
      resolvedAt: state !== "resolved" ? NO_MOMENT : draft.resolvedAt.date === "" ? nowText() : draft.resolvedAt,
    });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setErrors({});
    const changes = edit.changes();
    if (changes) run(() => saveIncident({ ...changes, id: incident?.id ?? null }), onClose, onFailure);
  };
  return (
    <Modal
      open
      onClose={close}
      title={incident ? t("editIncident") : t("newIncident")}
      className="max-w-2xl"
      footer={<DrawerFooter form={formId} pending={pending} onCancel={close} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-4">
        <IncidentClashes edit={edit} />
        <div className="grid gap-4 sm:grid-cols-2">
          <TextFields language="En" draft={draft} errors={errors} onChange={onChange} />
          <TextFields language="Zh" draft={draft} errors={errors} onChange={onChange} />
        </div>
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label={t("stateLabel")} error={errors.state}>
            {(control) => (
              <NativeSelect
                {...control}
                value={draft.state}
                onChange={(event) =>
                  onState(INCIDENT_STATES.find((state) => state === event.target.value) ?? "investigating")
                }
              >
                {INCIDENT_STATES.map((state) => (
                  <option key={state} value={state}>
                    {t(`state.${state}`)}
                  </option>
                ))}
              </NativeSelect>
            )}
          </Field>
          <TimeField field="startedAt" draft={draft} errors={errors} onChange={onChange} />
          {draft.state === "resolved" ? (
            <TimeField field="resolvedAt" draft={draft} errors={errors} onChange={onChange} />
          ) : null}
        </div>
      </form>
      {question}
    </Modal>
  );
}

function IncidentClashes({ edit }: { edit: ClashingEdit }) {
  const t = useTranslations("statusPage");
  const labels: Record<keyof Draft, string> = {
    titleEn: t("titleEn"),
    titleZh: t("titleZh"),
    textEn: t("textEn"),
    textZh: t("textZh"),
    state: t("stateLabel"),
    startedAt: t("startedAt"),
    resolvedAt: t("resolvedAt"),
  };
  const words = (field: string, value: unknown) => {
    const state = field === "state" ? INCIDENT_STATES.find((known) => known === value) : undefined;
    return state ? t(`state.${state}`) : null;
  };
  const kinds = { startedAt: "moment", resolvedAt: "moment" } as const;
  return <EditClashes edit={edit} labels={labels} kinds={kinds} words={words} />;
}

type PartProps = { draft: Draft; errors: Record<string, string>; onChange: (change: Partial<Draft>) => void };

function TextFields({ language, draft, errors, onChange }: PartProps & { language: "En" | "Zh" }) {
  const t = useTranslations("statusPage");
  const [title, text] = [`title${language}`, `text${language}`] as const;
  return (
    <div className="flex flex-col gap-4">
      <Field label={t(title)} error={errors[title]}>
        {(control) => (
          <Input {...control} value={draft[title]} onChange={(event) => onChange({ [title]: event.target.value })} />
        )}
      </Field>
      <Field label={t(text)} error={errors[text]}>
        {(control) => (
          <Textarea
            {...control}
            rows={4}
            value={draft[text]}
            onChange={(event) => onChange({ [text]: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

function TimeField({ field, draft, errors, onChange }: PartProps & { field: "startedAt" | "resolvedAt" }) {
  const t = useTranslations("statusPage");
  return (
    <Field label={t(field)} error={errors[field]}>
      {(control) => (
        <MomentFields
          control={control}
          label={t(field)}
          text={draft[field]}
          onText={(text) => onChange({ [field]: text })}
        />
      )}
    </Field>
  );
}
