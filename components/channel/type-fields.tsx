"use client";

import { Info } from "lucide-react";
import { useTranslations } from "next-intl";
import { Field } from "@/components/form/field";
import { Input } from "@/components/ui/input";
import type { ChannelSectionProps } from "./channel-draft";
import { useChannelType } from "./channel-types";
import { JsonField } from "./json-field";

/** The fields that differ between channel types (address, version, region, ids), with the notes on the type. */
export function TypeFields(section: ChannelSectionProps) {
  const { draft, fields, onChange, errors } = section;
  const t = useTranslations("channel");
  return (
    <>
      <Notices {...section} />
      {fields.address === "none" ? null : <AddressField {...section} />}
      <OtherField {...section} />
      {fields.hasOrganization ? (
        <Field label={t("organization")} hint={t("organizationHint")} error={errors.openaiOrganization}>
          {(control) => (
            <Input
              {...control}
              value={draft.openaiOrganization}
              placeholder="org-xxx"
              autoComplete="off"
              onChange={(event) => onChange({ openaiOrganization: event.target.value })}
            />
          )}
        </Field>
      ) : null}
      {fields.notice === "custom" ? (
        <JsonField
          field="setting"
          label={t("setting")}
          value={draft.setting}
          error={errors.setting}
          onValue={(setting) => onChange({ setting })}
        />
      ) : null}
    </>
  );
}

/** Notes on the type, and a warning when it does not serve chat requests. */
function Notices({ draft, fields }: ChannelSectionProps) {
  const t = useTranslations("channel");
  const hasConversations = useChannelType(draft.type)?.hasConversations ?? true;
  const texts = {
    azure: t("noticeAzure"),
    custom: t("noticeCustom"),
    suno: t("noticeSuno"),
    dify: t("noticeDify"),
  };
  const notices = [
    ...(fields.notice ? [texts[fields.notice]] : []),
    ...(!hasConversations && !fields.notice ? [t("noticeNoChats")] : []),
  ];
  return notices.map((notice) => (
    <p key={notice} className="flex gap-2 rounded-md border border-warning/50 px-3 py-2 text-sm">
      <Info className="mt-0.5 size-4 shrink-0 text-warning" aria-hidden />
      {notice}
    </p>
  ));
}

function AddressField({ draft, fields, onChange, errors }: ChannelSectionProps) {
  const t = useTranslations("channel");
  const { address, example } = fields;
  const labels = {
    mirror: t("baseUrl"),
    azure: "AZURE_OPENAI_ENDPOINT",
    full: t("fullUrl"),
    private: t("privateUrl"),
    suno: t("sunoUrl"),
    none: "",
  };
  const hints = {
    mirror: t("baseUrlHint"),
    azure: t("azureHint"),
    full: t("fullUrlHint", { open: "{", close: "}" }),
    private: t("privateUrlHint"),
    suno: t("sunoUrlHint"),
    none: "",
  };
  return (
    <>
      <Field label={labels[address]} hint={hints[address]} error={errors.baseUrl}>
        {(control) => (
          <Input
            {...control}
            type="url"
            value={draft.baseUrl}
            placeholder={example}
            spellCheck={false}
            onChange={(event) => onChange({ baseUrl: event.target.value })}
          />
        )}
      </Field>
      {address === "mirror" && /\/v1(\/[a-z/]+)?\/*$/i.test(draft.baseUrl) ? (
        <p role="status" className="-mt-2.5 text-warning text-xs">
          {t("baseUrlV1")}
        </p>
      ) : null}
    </>
  );
}

function OtherField({ draft, fields, onChange, errors }: ChannelSectionProps) {
  const t = useTranslations("channel");
  const { other } = fields;
  const onValue = (text: string) => onChange({ other: text });
  if (other === "region")
    return (
      <JsonField
        field="region"
        label={t("region")}
        hint={t("regionHint")}
        value={draft.other}
        error={errors.other}
        onValue={onValue}
      />
    );
  // The type has no such field, but a value that an older version stored still shows.
  if (other === "" && draft.other === "") return null;
  const labels = {
    version: t("otherVersion"),
    spark: t("sparkVersion"),
    library: t("libraryId"),
    bot: t("botId"),
    account: t("accountId"),
    "": t("other"),
  };
  const examples = {
    version: "2024-12-01-preview",
    spark: "v2.1",
    library: "123456",
    bot: "7379462189365198898",
    account: "023e105f4ecef8ad",
    "": "",
  };
  return (
    <Field label={labels[other]} error={errors.other}>
      {(control) => (
        <Input
          {...control}
          value={draft.other}
          placeholder={examples[other]}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onValue(event.target.value)}
        />
      )}
    </Field>
  );
}
