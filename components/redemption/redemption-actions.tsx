"use client";

import { useTranslations } from "next-intl";
import { useQueryState } from "nuqs";
import { drawerParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { RowActions, useCommonRowActions } from "@/components/data-table/row-actions";
import { REDEMPTION_STATUS } from "@/lib/row-status";
import type * as actions from "./actions";

export type RedemptionRowActions = Pick<typeof actions, "setRedemptionStatus" | "deleteRedemption">;

type RedemptionActionsProps = { code: { id: number; name: string; status: number }; actions: RedemptionRowActions };

const UNUSED = 1;
const USED = 3;

/** Edit requires an unused code; enable and disable are not offered for used codes. */
export function RedemptionActions({ code, actions }: RedemptionActionsProps) {
  const t = useTranslations("redemption");
  const { toggle, remove } = useCommonRowActions();
  const { startTransition } = useListTransition();
  const [, setEdit] = useQueryState(
    "edit",
    drawerParams.edit.withOptions({ shallow: false, history: "push", startTransition }),
  );
  const { id, name, status } = code;
  const unused = status === UNUSED;
  return (
    <RowActions
      name={t("row", { id: String(id) })}
      onEdit={() => setEdit(id)}
      canEdit={unused}
      actions={[
        {
          ...toggle(unused, () =>
            actions.setRedemptionStatus({ id, status: unused ? REDEMPTION_STATUS.disabled : REDEMPTION_STATUS.unused }),
          ),
          disabled: status === USED,
        },
        remove({ title: t("deleteTitle", { name }), text: t("deleteText") }, () => actions.deleteRedemption({ id })),
      ]}
    />
  );
}
