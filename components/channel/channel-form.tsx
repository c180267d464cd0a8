"use client";

import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { type FormEvent, useEffect, useId, useState } from "react";
import { toast } from "sonner";
import { drawerParams } from "@/components/data-table/list-params";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { useRunAction } from "@/components/form/use-run-action";
import { writeStored } from "@/components/shell/stored";
import { Sheet } from "@/components/ui/dialog";
import type { Channel } from "@/lib/channel/types";
import type { ActionResult } from "@/lib/http/action";
import { ChannelAdvanced } from "./channel-advanced";
import { type ChannelDraft, type ChannelInput, isJsonObjectOrEmpty, toChannelInput, toDraft } from "./channel-draft";
import { ChannelBasics, ChannelRouting } from "./channel-fields";

type ChannelFormProps = {
  channel: Channel | null;
  groups: string[];
  /** Models that go with each channel type. */
  typeModels: Record<string, string[]>;
  createChannels: (input: ChannelInput) => Promise<ActionResult<void>>;
  updateChannel: (input: ChannelInput & { id: number }) => Promise<ActionResult<void>>;
};

const JSON_FIELDS = ["modelMapping", "statusCodeMapping", "paramOverride", "setting"] as const;

/** The drawer to make a channel or to change one. */
export function ChannelForm({ channel, groups, typeModels, createChannels, updateChannel }: ChannelFormProps) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const formId = useId();
  const [, setDrawer] = useQueryStates(drawerParams, { shallow: false });
  const { pending, run } = useRunAction();
  const [open, setOpen] = useState(true);
  const [draft, setDraft] = useState(() => toDraft(channel, typeModels["1"] ?? []));
  const [errors, setErrors] = useState<Record<string, string>>({});

  useEffect(() => {
    writeStored("channel_models", JSON.stringify(typeModels));
  }, [typeModels]);

  const onClose = () => {
    setOpen(false);
    setDrawer({ edit: null, create: null });
  };
  const onChange = (change: Partial<ChannelDraft>) => setDraft((before) => ({ ...before, ...change }));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const bad = JSON_FIELDS.filter((field) => !isJsonObjectOrEmpty(draft[field]));
    setErrors(
      Object.fromEntries(bad.map((field) => [field, field === "modelMapping" ? t("modelMappingBad") : t("jsonBad")])),
    );
    if (bad.length > 0) {
      toast.error(common("checkInput"));
      return;
    }
    const input = toChannelInput(draft);
    run(
      () => (channel ? updateChannel({ ...input, id: channel.id }) : createChannels(input)),
      () => {
        toast.success(common("saved"), { duration: 1500 });
        onClose();
      },
      (failure) => setErrors(failure.fields),
    );
  };
  const section = { draft, onChange, errors };
  return (
    <Sheet
      modalForm
      open={open}
      onClose={onClose}
      side={channel ? "right" : "left"}
      title={channel ? t("editTitle") : t("createTitle")}
      description={channel ? `#${channel.id} · ${channel.name}` : undefined}
      footer={<DrawerFooter form={formId} pending={pending} onCancel={onClose} />}
    >
      <form id={formId} onSubmit={onSubmit} noValidate className="flex flex-col gap-6">
        <ChannelBasics {...section} channelId={channel?.id ?? null} typeModels={typeModels} />
        <ChannelRouting {...section} groups={groups} />
        <ChannelAdvanced {...section} />
      </form>
    </Sheet>
  );
}
