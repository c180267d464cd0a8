"use client";

import { CirclePlay, CircleSlash, Ellipsis, Pencil, Trash2, Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, useQueryStates } from "nuqs";
import { useState } from "react";
import { toast } from "sonner";
import { useListTransition } from "@/components/data-table/list-transition";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/dropdown-menu";
import { UNTESTABLE_TYPES } from "@/lib/channel/types";
import type { ActionResult } from "@/lib/http/action";

export type ChannelRowActions = {
  setChannelStatus: (input: { id: number; status: 1 | 2 }) => Promise<ActionResult<void>>;
  deleteChannel: (input: { id: number }) => Promise<ActionResult<void>>;
};

type ChannelActionsProps = {
  channel: { id: number; name: string; status: number; type: number };
  actions: ChannelRowActions;
};

const panelParams = { edit: parseAsInteger, test: parseAsInteger };

export function ChannelActions({ channel, actions }: ChannelActionsProps) {
  const t = useTranslations("channel");
  const common = useTranslations("common");
  const { startTransition } = useListTransition();
  const [, setPanel] = useQueryStates(panelParams, { shallow: false, startTransition });
  const { pending, run } = useRunAction();
  const [confirming, setConfirming] = useState(false);
  const { id, name } = channel;
  const enabled = channel.status === 1;

  const onToggle = () =>
    run(
      () => actions.setChannelStatus({ id, status: enabled ? 2 : 1 }),
      () => toast.success(enabled ? common("disabled") : common("enabled"), { duration: 1500 }),
    );
  const onDelete = () =>
    run(
      () => actions.deleteChannel({ id }),
      () => {
        setConfirming(false);
        toast.success(common("deleted"), { duration: 1500 });
      },
    );
  const trigger = (
    <Button variant="ghost" size="icon" aria-label={common("rowActions", { name })} pending={pending}>
      {pending ? null : <Ellipsis />}
    </Button>
  );
  return (
    <span className="flex justify-end gap-1">
      <Button
        aria-label={t("testOf", { name })}
        disabled={UNTESTABLE_TYPES.includes(channel.type)}
        onClick={() => setPanel({ test: id })}
      >
        <Zap aria-hidden />
        {t("test")}
      </Button>
      <Button
        variant="ghost"
        size="icon"
        aria-label={`${common("edit")} ${name}`}
        onClick={() => setPanel({ edit: id })}
      >
        <Pencil />
      </Button>
      <Menu trigger={trigger}>
        <MenuItem onSelect={onToggle}>
          {enabled ? <CircleSlash aria-hidden /> : <CirclePlay aria-hidden />}
          {enabled ? common("disable") : common("enable")}
        </MenuItem>
        <MenuSeparator />
        <MenuItem destructive onSelect={() => setConfirming(true)}>
          <Trash2 aria-hidden />
          {common("delete")}
        </MenuItem>
      </Menu>
      <ConfirmDialog
        open={confirming}
        onClose={() => setConfirming(false)}
        onConfirm={onDelete}
        pending={pending}
        title={t("deleteTitle", { name })}
        text={t("deleteText")}
        confirm={common("delete")}
      />
    </span>
  );
}
