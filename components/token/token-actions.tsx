"use client";

import { useTranslations } from "next-intl";
import { useQueryState } from "nuqs";
import { drawerParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { RowActions, useCommonRowActions } from "@/components/data-table/row-actions";
import type { ActionResult } from "@/lib/http/action";

export type TokenRowActions = {
  setTokenStatus: (input: { id: number; status: 1 | 2 }) => Promise<ActionResult<void>>;
  deleteToken: (input: { id: number }) => Promise<ActionResult<void>>;
};

type TokenActionsProps = { token: { id: number; name: string; status: number }; actions: TokenRowActions };

export function TokenActions({ token, actions }: TokenActionsProps) {
  const t = useTranslations("token");
  const { toggle, remove } = useCommonRowActions();
  const { startTransition } = useListTransition();
  const [, setEdit] = useQueryState("edit", drawerParams.edit.withOptions({ shallow: false, startTransition }));
  const { id, name } = token;
  const enabled = token.status === 1;
  return (
    <RowActions
      name={name}
      onEdit={() => setEdit(id)}
      actions={[
        toggle(enabled, () => actions.setTokenStatus({ id, status: enabled ? 2 : 1 })),
        remove({ title: t("deleteTitle", { name }), text: t("deleteText") }, () => actions.deleteToken({ id })),
      ]}
    />
  );
}
