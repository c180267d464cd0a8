"use client";

import { CirclePlay, CircleSlash } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryStates } from "nuqs";
import { panelParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { RowActions } from "@/components/data-table/row-actions";
import type { SwitchStatus } from "@/lib/row-status";
import type { Seen } from "@/lib/seen";
import { setTagStatus } from "./actions";

export type TagChange = {
  tag: string;
  newTag?: string | null;
  priority?: number;
  weight?: number;
  models?: string;
  group?: string;
  modelMapping?: string;
  seen: Seen;
};

/** The actions on all members of a tag. */
export function TagActions({ tag }: { tag: string }) {
  const t = useTranslations("channel");
  const { startTransition } = useListTransition();
  const [, setPanel] = useQueryStates(panelParams, { shallow: false, history: "push", startTransition });
  const toggle = (status: SwitchStatus) => () => setTagStatus({ tag, status });
  return (
    <RowActions
      name={tag}
      onEdit={() => setPanel({ editTag: tag })}
      actions={[
        {
          id: "enable",
          label: t("enableAll"),
          icon: <CirclePlay aria-hidden />,
          success: t("allEnabled"),
          run: toggle(1),
        },
        {
          id: "disable",
          label: t("disableAll"),
          icon: <CircleSlash aria-hidden />,
          success: t("allDisabled"),
          run: toggle(2),
          confirm: { title: t("disableAllTitle", { tag }), text: t("disableAllText") },
        },
      ]}
    />
  );
}
