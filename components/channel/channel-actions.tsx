"use client";

import { Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { useListTransition } from "@/components/data-table/list-transition";
import { RowActions, useCommonRowActions } from "@/components/data-table/row-actions";
import { Button } from "@/components/ui/button";
import { UNTESTABLE_TYPES } from "@/lib/channel/types";
import type { ActionResult } from "@/lib/http/action";
import { channelPanelParams } from "./channel-search";

export type ChannelRowActions = {
  setChannelStatus: (input: { id: number; status: 1 | 2 }) => Promise<ActionResult<void>>;
  deleteChannel: (input: { id: number }) => Promise<ActionResult<void>>;
};

type ChannelActionsProps = {
  channel: { id: number; name: string; status: number; type: number };
  actions: ChannelRowActions;
};

export function ChannelActions({ channel, actions }: ChannelActionsProps) {
  const t = useTranslations("channel");
  const { toggle, remove } = useCommonRowActions();
  const { startTransition } = useListTransition();
  const [, setPanel] = useQueryStates(channelPanelParams, { shallow: false, startTransition });
  const { id, name } = channel;
  const enabled = channel.status === 1;
  return (
    <RowActions
      name={name}
      onEdit={() => setPanel({ edit: id })}
      actions={[
        toggle(enabled, () => actions.setChannelStatus({ id, status: enabled ? 2 : 1 })),
        remove({ title: t("deleteTitle", { name }), text: t("deleteText") }, () => actions.deleteChannel({ id })),
      ]}
    >
      <Button
        aria-label={t("testOf", { name })}
        disabled={UNTESTABLE_TYPES.includes(channel.type)}
        onClick={() => setPanel({ test: id })}
      >
        <Zap aria-hidden />
        {t("test")}
      </Button>
    </RowActions>
  );
}
