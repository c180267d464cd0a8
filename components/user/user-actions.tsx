"use client";

import { ArrowDownToLine, ArrowUpToLine, CirclePlay, CircleSlash, UserX } from "lucide-react";
import { useTranslations } from "next-intl";
import { useQueryState } from "nuqs";
import { drawerParams } from "@/components/data-table/list-params";
import { useListTransition } from "@/components/data-table/list-transition";
import { type RowAction, RowActions } from "@/components/data-table/row-actions";
import { USER_STATUS } from "@/lib/row-status";
import { manageUser } from "./actions";
import { allowedVerbs } from "./permissions";
import type { UserRow } from "./user-row";

export type ManageVerb = "promote" | "demote" | "disable" | "enable" | "delete";
/** The state of a row after an action. */
export type ManagedUser = { role: number; status: number; deleted: boolean };

type UserActionsProps = {
  user: UserRow;
  actor: { id: number; role: number };
  onManaged: (id: number, change: ManagedUser) => void;
};

/** The actions of one user, each with a confirmation. */
export function UserActions({ user, actor, onManaged }: UserActionsProps) {
  const t = useTranslations("user");
  const { startTransition } = useListTransition();
  const options = { shallow: false, history: "push", startTransition } as const;
  const [, setEdit] = useQueryState("edit", drawerParams.edit.withOptions(options));
  const allowed = allowedVerbs(actor, user);
  const name = user.username;
  const send = (action: ManageVerb) => async () => {
    const result = await manageUser({ id: user.id, action });
    if (result.ok) onManaged(user.id, result.data);
    return result;
  };
  const verb = (id: ManageVerb, entry: Pick<RowAction, "label" | "icon" | "disabled" | "confirm">): RowAction => ({
    id,
    success: t("done"),
    run: send(id),
    ...entry,
  });
  const toggle =
    user.status === USER_STATUS.enabled
      ? verb("disable", {
          label: t("ban"),
          icon: <CircleSlash aria-hidden />,
          disabled: !allowed.disable,
          confirm: { title: t("disableTitle", { name }), text: t("disableText") },
        })
      : verb("enable", {
          label: t("unban"),
          icon: <CirclePlay aria-hidden />,
          disabled: !allowed.enable,
          confirm: { title: t("enableTitle", { name }), text: t("enableText") },
        });
  return (
    <RowActions
      name={name}
      canEdit={allowed.edit}
      onEdit={() => setEdit(user.id)}
      actions={[
        verb("promote", {
          label: t("promote"),
          icon: <ArrowUpToLine aria-hidden />,
          disabled: !allowed.promote,
          confirm: { title: t("promoteTitle", { name }), text: t("promoteText") },
        }),
        verb("demote", {
          label: t("demote"),
          icon: <ArrowDownToLine aria-hidden />,
          disabled: !allowed.demote,
          confirm: { title: t("demoteTitle", { name }), text: t("demoteText") },
        }),
        toggle,
        {
          ...verb("delete", {
            label: t("deregister"),
            icon: <UserX aria-hidden />,
            disabled: !allowed.deregister,
            confirm: { title: t("deregisterTitle", { name }), text: t("deregisterText") },
          }),
          destructive: true,
        },
      ]}
    />
  );
}
