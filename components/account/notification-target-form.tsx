"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { type ClashingEdit, EditClashes } from "@/components/form/edit-clashes";
import type { EditShape } from "@/components/form/edit-draft";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { useEdit } from "@/components/form/use-edit";
import { useFormSave } from "@/components/form/use-form-save";
import { Drawer } from "@/components/overlay/drawer";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import { isNotificationEvent, type NotificationEvent } from "@/lib/notify/events";
import { fieldsOf, isTargetKind, TARGET_KINDS, type TargetKind } from "@/lib/notify/target-kinds";
import type { NotificationTarget } from "@/lib/notify/types";
import { saveTarget } from "./notification-actions";
import { NotificationBinding } from "./notification-binding";
import { useFieldText } from "./notification-kind";
import { NotificationEvents, NotificationFields } from "./notification-target-fields";

type FormProps = {
  target: NotificationTarget | null;
  events: NotificationEvent[];
  canBindWeChat: boolean;
  onClose: () => void;
  onSecret: (secret: string) => void;
};

type Draft = { kind: TargetKind; name: string; config: Record<string, string>; events: NotificationEvent[] };

/** The entries of the configuration are fields of their own. */
type Fields = { kind: TargetKind; name: string; events: NotificationEvent[] } & {
  [config: `config.${string}`]: string;
};

const underConfig = (config: Record<string, string>) =>
  Object.fromEntries(Object.entries(config).map(([name, text]) => [`config.${name}`, text]));

const toFields = ({ kind, name, events, config }: Draft): Fields => ({ kind, name, events, ...underConfig(config) });

/** The configuration among the fields of the form. */
function toConfig(fields: object): Record<string, string> {
  const entries = Object.entries(fields).filter(([name]) => name.startsWith("config."));
  return Object.fromEntries(entries.map(([name, text]) => [name.slice("config.".length), String(text)]));
}

function shapeOf(events: NotificationEvent[]): EditShape<Fields, Draft, Fields> {
  return {
    toDraft: (row) => {
      if (!row) return { kind: "email", name: "", config: {}, events };
      return { kind: row.kind, name: row.name, events: row.events, config: toConfig(row) };
    },
    toInput: toFields,
  };
}

type ChangeProps = { draft: Draft; onChange: (change: Partial<Draft>) => void };

export function NotificationTargetForm({ target, events, canBindWeChat, onClose, onSecret }: FormProps) {
  const t = useTranslations("notify");
  const formId = useId();
  const edit = useEdit<Fields, Draft, Fields>(target && toFields(target), shapeOf(events));
  const { draft, errors, onChange } = edit;
  const { pending, onSubmit } = useFormSave(edit, {
    save: ({ kind, name, events: chosen, seen, ...entries }) =>
      saveTarget({ kind, name, events: chosen, config: toConfig(entries), seen, id: target?.id }),
    onSaved: ({ madeSecret }) => {
      onClose();
      if (madeSecret) onSecret(madeSecret);
    },
  });
  const binding = draft.kind === "wxpusher" && !target && canBindWeChat;
  return (
    <Drawer
      open
      modalForm
      onClose={onClose}
      title={target ? t("editTitle") : t("addTitle")}
      footer={<DrawerFooter form={formId} pending={pending} onCancel={onClose} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-6">
        <TargetClashes edit={edit} kind={draft.kind} />
        <FormSection title={t("destination")}>
          <KindField draft={draft} onChange={onChange} fixed={target !== null} canBindWeChat={canBindWeChat} />
          {binding ? <NotificationBinding onBound={onClose} /> : null}
          <NotificationFields
            kind={draft.kind}
            config={draft.config}
            saved={target !== null}
            errors={errors}
            onConfig={(config) => onChange({ config })}
          />
          <NameField draft={draft} onChange={onChange} error={errors.name} />
        </FormSection>
        <NotificationEvents offered={events} chosen={draft.events} onChosen={(next) => onChange({ events: next })} />
      </form>
    </Drawer>
  );
}

function TargetClashes({ edit, kind }: { edit: ClashingEdit; kind: TargetKind }) {
  const t = useTranslations("notify");
  const text = useFieldText(kind);
  const entries = fieldsOf(kind).map(({ name }) => [`config.${name}`, text(name).label] as const);
  const labels = { name: t("nameLabel"), events: t("eventsTitle"), ...Object.fromEntries(entries) };
  const words = (field: string, value: unknown) =>
    field === "events" && Array.isArray(value)
      ? value
          .filter(isNotificationEvent)
          .map((event) => t(`eventName.${event}`))
          .join("\n")
      : null;
  return <EditClashes edit={edit} labels={labels} words={words} />;
}

function NameField({ draft, onChange, error }: ChangeProps & { error: string | undefined }) {
  const t = useTranslations("notify");
  return (
    <Field label={t("nameLabel")} hint={t("nameHint")} error={error}>
      {(control) => (
        <Input
          {...control}
          value={draft.name}
          maxLength={64}
          autoComplete="off"
          onChange={(event) => onChange({ name: event.target.value })}
        />
      )}
    </Field>
  );
}

/** Each kind has its own fields, so changing the kind clears the entered config. */
function KindField(props: ChangeProps & { fixed: boolean; canBindWeChat: boolean }) {
  const { draft, onChange, fixed, canBindWeChat } = props;
  const t = useTranslations("notify");
  const offered = TARGET_KINDS.filter((kind) => kind !== "wxpusher" || canBindWeChat || kind === draft.kind);
  return (
    <Field label={t("kindLabel")}>
      {(control) => (
        <NativeSelect
          {...control}
          value={draft.kind}
          disabled={fixed}
          onChange={({ target: { value } }) =>
            isTargetKind(value) ? onChange({ kind: value, config: {} }) : undefined
          }
        >
          {offered.map((kind) => (
            <option key={kind} value={kind}>
              {t(`kind.${kind}`)}
            </option>
          ))}
        </NativeSelect>
      )}
    </Field>
  );
}
