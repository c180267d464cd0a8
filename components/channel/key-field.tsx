"use client";

import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { SwitchField } from "@/components/form/switch-field";
import { Textarea } from "@/components/ui/textarea";
import type { Channel } from "@/lib/channel/types";
import type { ChannelSectionProps } from "./channel-draft";
import { JsonField } from "./json-field";

/** The key is write-only: a stored key shows only its fingerprint. */
export function KeyField({
  draft,
  fields,
  onChange,
  errors,
  channel,
}: ChannelSectionProps & { channel: Channel | null }) {
  const t = useTranslations("channel");
  const { keyParts, otherKeyParts, separator, isKeyDocument } = fields;
  const kept = channel ? t("keyKeepPrint", { print: channel.keyFingerprint }) : "";
  if (isKeyDocument)
    return (
      <JsonField
        field="serviceAccount"
        label={t("keyJson")}
        hint={kept || t("keyJsonHint")}
        value={draft.key}
        error={errors.key}
        onValue={(key) => onChange({ key })}
      />
    );
  const isSeveral = draft.key.split("\n").filter((line) => line.trim() !== "").length > 1;
  const forms = [keyParts.length === 0 ? [t("key")] : keyParts, ...otherKeyParts].map((parts) => parts.join(separator));
  const isPlain = keyParts.length === 0 && otherKeyParts.length === 0;
  const format = isPlain ? t("keyPlaceholder") : t("keyFormat", { format: forms.join(" / ") });
  return (
    <>
      <Field label={t("key")} hint={kept || t("batchHint")} error={errors.key}>
        {(control) => (
          <Textarea
            {...control}
            data-secret
            value={draft.key}
            placeholder={format}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ key: event.target.value })}
            className="min-h-16 break-all font-mono text-xs"
          />
        )}
      </Field>
      {channel === null && isSeveral ? (
        <SwitchField
          label={t("severalKeys")}
          hint={t("severalKeysHint")}
          checked={draft.severalKeys}
          onChecked={(severalKeys) => onChange({ severalKeys })}
        />
      ) : null}
    </>
  );
}
