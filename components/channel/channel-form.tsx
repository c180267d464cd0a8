"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useEffect, useId, useState } from "react";
import { panelParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { type ClashingEdit, EditClashes } from "@/components/form/edit-clashes";
import { useDiscard } from "@/components/form/use-discard";
import { useEdit } from "@/components/form/use-edit";
import { useRunAction } from "@/components/form/use-run-action";
import { Drawer } from "@/components/overlay/drawer";
import { Button } from "@/components/ui/button";
import { writeStored } from "@/components/ui/stored";
import { toast } from "@/components/ui/toast";
import type { Channel, ChannelKey } from "@/lib/channel/types";
import { type EditorFields, USUAL_FIELDS } from "@/lib/provider-catalogue/editor-fields";
import { LIMIT_SECONDS_MAX, type LimitName } from "@/lib/time-limits";
import { createChannels, updateChannel } from "./actions";
import { ChannelAdvanced } from "./channel-advanced";
import { ChannelCosts } from "./channel-costs";
import {
  type ChannelDraft,
  type ChannelInput,
  type ChannelSectionProps,
  isJsonObjectOrEmpty,
  toChannelInput,
  toDraft,
} from "./channel-draft";
import { ChannelBasics } from "./channel-fields";
import { ChannelRouting } from "./channel-routing";
import { ChannelTimeLimits } from "./channel-time-limits";
import { useChannelTypes } from "./channel-types";
import { isKeyWellFormed } from "./key-form";
import { PrivateNetworks } from "./private-networks";
import { type Saved, SavedChannel } from "./saved-channel";
import { badTimeLimits } from "./time-limit-setting";

type ChannelFormProps = {
  channel: Channel | null;
  /** The keys of a multi-key channel. */
  keys: ChannelKey[];
  groups: string[];
  /** Default models of each channel type. */
  typeModels: Record<string, string[]>;
  /** The fields of each channel type. */
  typeFields: Record<number, EditorFields>;
  allModels: string[];
  /** The site's time limits in seconds. */
  timeLimits: Record<LimitName, number>;
  isRoot: boolean;
};

const JSON_FIELDS = ["modelMapping", "statusCodeMapping", "paramOverride", "setting"] as const;

/** The drawer that creates or edits a channel. After a new one is saved, it offers a test. */
export function ChannelForm(props: ChannelFormProps) {
  const { channel, typeModels } = props;
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const editor = useTranslations("channelEditor");
  const formId = useId();
  const [, setPanel] = useQueryStates(panelParams, { shallow: false });
  const [saved, setSaved] = useState<Saved | null>(null);
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const [{ id: firstType } = { id: 0 }] = useChannelTypes();
  const edit = useChannelEdit(channel, firstType, props.typeFields);
  const { draft, errors, setErrors, onChange, onFailure, fields } = edit;
  const findErrors = useFindErrors();

  useEffect(() => {
    writeStored("channel_models", JSON.stringify(typeModels));
  }, [typeModels]);

  const onClose = () => {
    setOpen(false);
    setPanel({ edit: null, create: null });
  };
  const { close, question } = useDiscard(open && !saved && edit.dirty, onClose);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const found = findErrors(draft, fields, channel === null);
    setErrors(found);
    if (found.modelMapping) toast.info(found.modelMapping, { duration: 3000 });
    else if (Object.keys(found).length > 0) toast.error(common("checkInput"));
    if (Object.keys(found).length > 0) return;
    const input = toChannelInput(draft, fields);
    if (!channel) {
      const { type, models, testModel } = draft;
      const onMade = (channels: Saved["channels"]) => setSaved({ channels, type, models, testModel });
      return run(() => createChannels({ ...input, severalKeys: draft.severalKeys }), onMade, onFailure);
    }
    const onUpdated = () => {
      const action = { label: editor("testNow"), onClick: () => void setPanel({ test: channel.id }) };
      toast.success(common("saved"), { duration: 5_000, action });
      onClose();
    };
    const changes = edit.changes();
    if (changes) run(() => updateChannel({ ...changes, id: channel.id }), onUpdated, onFailure);
  };
  const done = (
    <Button size="md" variant="primary" onClick={close}>
      {editor("done")}
    </Button>
  );
  return (
    <Drawer
      modalForm
      open={open}
      onClose={close}
      title={channel ? t("editTitle") : t("createTitle")}
      description={channel ? `#${channel.id} · ${channel.name}` : undefined}
      footer={saved ? done : <DrawerFooter form={formId} pending={pending} onCancel={close} />}
    >
      {saved ? (
        <SavedChannel saved={saved} />
      ) : (
        <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-6">
          <ChannelClashes edit={edit} />
          <Sections {...props} section={{ draft, fields, onChange, errors }} />
        </form>
      )}
      {question}
    </Drawer>
  );
}

function useChannelEdit(channel: Channel | null, firstType: number, typeFields: Record<number, EditorFields>) {
  const fieldsOf = (type: number) => typeFields[type] ?? USUAL_FIELDS;
  const edit = useEdit<Channel, ChannelDraft, ChannelInput>(channel, {
    toDraft: (row) => toDraft(row, firstType),
    toInput: (input) => toChannelInput(input, fieldsOf(input.type)),
    entries: ["setting"],
    together: [["type", "baseUrl"]],
  });
  return { ...edit, fields: fieldsOf(edit.draft.type) };
}

function ChannelClashes({ edit }: { edit: ClashingEdit }) {
  const t = useTranslations("channel");
  const limit = useTranslations("limit");
  const labels: Record<Exclude<keyof ChannelInput, "key" | "severalKeys">, string> = {
    type: t("type"),
    name: t("name"),
    baseUrl: t("baseUrl"),
    other: t("other"),
    openaiOrganization: t("organization"),
    group: t("groups"),
    models: t("models"),
    modelMapping: t("modelMapping"),
    statusCodeMapping: t("statusCodeMapping"),
    paramOverride: t("paramOverride"),
    setting: t("setting"),
    testModel: t("defaultTestModel"),
    tag: t("tag"),
    priority: t("priority"),
    weight: t("weight"),
    autoBan: t("autoBan"),
    requestsPerMinute: limit("requestsPerMinute"),
    tokensPerMinute: limit("tokensPerMinute"),
    concurrencyLimit: limit("concurrencyLimit"),
  };
  const types = useChannelTypes();
  const common = useTranslations("common.clash");
  const words = (field: string, value: unknown) => {
    if (field === "type") return types.find(({ id }) => id === value)?.name ?? null;
    return field === "autoBan" ? common(value === 1 ? "on" : "off") : null;
  };
  return <EditClashes edit={edit} labels={labels} words={words} />;
}

function Sections({ section, ...props }: ChannelFormProps & { section: ChannelSectionProps }) {
  const { channel, keys, groups, typeModels, allModels } = props;
  return (
    <>
      <ChannelBasics {...section} {...{ channel, keys, typeModels, allModels }} />
      <ChannelRouting {...section} groups={groups} />
      <ChannelTimeLimits draft={section.draft} onChange={section.onChange} usual={props.timeLimits} />
      <ChannelCosts {...section} />
      <ChannelAdvanced {...section} />
      {channel ? <PrivateNetworks channel={channel} isRoot={props.isRoot} /> : null}
    </>
  );
}

/** Errors found in the browser before the form is sent, by field. */
function useFindErrors(): (draft: ChannelDraft, fields: EditorFields, isNew: boolean) => Record<string, string> {
  const t = useTranslations("channel");
  const missing = useTranslations("channel.missing");
  const limit = useTranslations("timeLimit");
  return (draft, fields, isNew) => {
    const found: Record<string, string> = {};
    if (draft.name.trim() === "") found.name = missing("name");
    if (isNew && draft.key.trim() === "") found.key = missing("key");
    if (!isKeyWellFormed(fields, draft.key)) found.key = t("keyFormBad");
    if (draft.models.length === 0) found.models = missing("models");
    if (draft.groups.length === 0) found.group = missing("groups");
    for (const field of JSON_FIELDS) {
      if (isJsonObjectOrEmpty(draft[field])) continue;
      found[field] = field === "modelMapping" ? t("modelMappingBad") : t("jsonBad");
    }
    if (badTimeLimits(draft.setting).length > 0) found.timeLimits = limit("bad", { max: String(LIMIT_SECONDS_MAX) });
    return found;
  };
}
