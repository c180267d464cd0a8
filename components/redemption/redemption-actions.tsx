"use client";

import { useTranslations } from "next-intl";
import { useQueryState } from "nuqs";
import { drawerParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { RowActions, useCommonRowActions } from "@/components/data-table/row-actions";
import { REDEMPTION_STATUS } from "@/lib/row-status";
import { deleteRedemption, setRedemptionStatus } from "./actions";

type RedemptionActionsProps = { code: { id: number; name: string; status: number } };

const UNUSED = 1;
const USED = 3;

/** Edit requires an unused code; enable and disable are not offered for used codes. */
export function RedemptionActions({ code }: RedemptionActionsProps) {
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
            setRedemptionStatus({ id, status: unused ? REDEMPTION_STATUS.disabled : REDEMPTION_STATUS.unused }),
          ),
          disabled: status === USED,
        },
        remove({ title: t("deleteTitle", { name }), text: t("deleteText") }, () => deleteRedemption({ id })),
      ]}
    />
  );
}
