"use client";

import { CirclePlay, CircleSlash, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { toast } from "sonner";
import { useListTransition } from "@/components/data-table/list-transition";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Button } from "@/components/ui/button";
import { Menu, MenuItem, MenuSeparator } from "@/components/ui/dropdown-menu";
import type { ActionResult } from "@/lib/http/action";

export type TokenRowActions = {
  setTokenStatus: (input: { id: number; status: 1 | 2 }) => Promise<ActionResult<void>>;
  deleteToken: (input: { id: number }) => Promise<ActionResult<void>>;
};

type TokenActionsProps = { token: { id: number; name: string; status: number }; actions: TokenRowActions };

export function TokenActions({ token, actions }: TokenActionsProps) {
  const t = useTranslations("token");
  const common = useTranslations("common");
  const { startTransition } = useListTransition();
  const [, setEdit] = useQueryState("edit", parseAsInteger.withOptions({ shallow: false, startTransition }));
  const { pending, run } = useRunAction();
  const [confirming, setConfirming] = useState(false);
  const { id, name } = token;
  const enabled = token.status === 1;

  const onToggle = () =>
    run(
      () => actions.setTokenStatus({ id, status: enabled ? 2 : 1 }),
      () => toast.success(enabled ? common("disabled") : common("enabled"), { duration: 1500 }),
    );
  const onDelete = () =>
    run(
      () => actions.deleteToken({ id }),
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
      <Button variant="ghost" size="icon" aria-label={`${common("edit")} ${name}`} onClick={() => setEdit(id)}>
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
