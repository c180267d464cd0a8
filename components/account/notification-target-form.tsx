"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { Field } from "@/components/form/field";
import { FormSection } from "@/components/form/form-section";
import { useFormSave } from "@/components/form/use-form-save";
import { Drawer } from "@/components/overlay/drawer";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import type { NotificationEvent } from "@/lib/notify/events";
import { isTargetKind, TARGET_KINDS, type TargetKind } from "@/lib/notify/target-kinds";
import type { NotificationTarget } from "@/lib/notify/types";
import { NotificationBinding } from "./notification-binding";
import { NotificationEvents, NotificationFields } from "./notification-target-fields";
import type { TargetActions } from "./notification-types";

type FormProps = {
  target: NotificationTarget | null;
  events: NotificationEvent[];
  canBindWeChat: boolean;
  actions: TargetActions;
  onClose: () => void;
  onSecret: (secret: string) => void;
};

type Draft = { kind: TargetKind; name: string; config: Record<string, string>; events: NotificationEvent[] };

type ChangeProps = { draft: Draft; onChange: (change: Partial<Draft>) => void };

export function NotificationTargetForm({ target, events, canBindWeChat, actions, onClose, onSecret }: FormProps) {
  const t = useTranslations("notify");
  const formId = useId();
  const [draft, setDraft] = useState<Draft>(() => target ?? { kind: "email", name: "", config: {}, events });
  const onChange = (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change }));

  const { kind, name, config } = draft;
  const { pending, errors, onSubmit } = useFormSave(
    () => actions.saveTarget({ kind, name, config, events: draft.events, ...(target ? { id: target.id } : {}) }),
    ({ madeSecret }) => {
      onClose();
      if (madeSecret) onSecret(madeSecret);
    },
  );
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
        <FormSection title={t("destination")}>
          <KindField draft={draft} onChange={onChange} fixed={target !== null} canBindWeChat={canBindWeChat} />
          {binding ? <NotificationBinding actions={actions} onBound={onClose} /> : null}
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
