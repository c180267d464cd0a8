"use client";

import { Copy, Zap } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { panelParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { type RowAction, RowActions, useCommonRowActions } from "@/components/data-table/row-actions";
import { HttpError } from "@/components/form/call-api";
import { Button } from "@/components/ui/button";
import type { ActionResult } from "@/lib/http/action";
import { CHANNEL_STATUS } from "@/lib/row-status";
import { copyChannel, deleteChannel, setChannelStatus } from "./actions";
import { useChannelType } from "./channel-types";

type ChannelActionsProps = { channel: { id: number; name: string; status: number; type: number } };

export function ChannelActions({ channel }: ChannelActionsProps) {
  const t = useTranslations("channel");
  const { toggle, remove } = useCommonRowActions();
  const { startTransition } = useListTransition();
  const [, setPanel] = useQueryStates(panelParams, { shallow: false, history: "push", startTransition });
  const copy = useCopyAction(channel);
  const { id, name } = channel;
  const enabled = channel.status === CHANNEL_STATUS.enabled;
  const isTestable = useChannelType(channel.type)?.isTestable ?? true;
  return (
    <RowActions
      name={name}
      onEdit={() => setPanel({ edit: id })}
      actions={[
        toggle(enabled, () =>
          setChannelStatus({ id, status: enabled ? CHANNEL_STATUS.disabled : CHANNEL_STATUS.enabled }),
        ),
        copy,
        remove({ title: t("deleteTitle", { name }), text: t("deleteText") }, () => deleteChannel({ id })),
      ]}
    >
      <Button aria-label={t("testOf", { name })} disabled={!isTestable} onClick={() => setPanel({ test: id })}>
        <Zap aria-hidden />
        <span className="max-[1840px]:md:hidden">{t("test")}</span>
      </Button>
    </RowActions>
  );
}

/** Copies a channel on the server, with its key. The error message says that the copy failed, and why (B266, B267). */
function useCopyAction({ id, name }: { id: number; name: string }): RowAction {
  const t = useTranslations("channel");
  const failed = (reason: string) => t("copyFailed", { reason });
  const run = async (): Promise<ActionResult<number>> => {
    try {
      const result = await copyChannel({ id, suffix: t("copySuffix") });
      if (result.ok || result.code === "not_found" || result.code === "unauthenticated") return result;
      return { ...result, message: failed(result.message) };
    } catch (error) {
      if (error instanceof HttpError && error.status === 401) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      return { ok: false, code: "internal", message: failed(reason), fields: {} };
    }
  };
  return {
    id: "copy",
    label: t("copyChannel"),
    icon: <Copy aria-hidden />,
    success: t("channelCopied", { name: `${name}${t("copySuffix")}` }),
    confirm: { title: t("copyTitle", { name }), text: t("copyText") },
    run,
  };
}
