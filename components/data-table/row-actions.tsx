"use client";

import { CirclePlay, CircleSlash, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "@/components/form/confirm-dialog";
import { useRunAction } from "@/components/form/use-run-action";
import { Menu } from "@/components/overlay/menu";
import { Button } from "@/components/ui/button";
import { DropdownMenuItem, DropdownMenuSeparator } from "@/components/ui/dropdown-menu";
import { toast } from "@/components/ui/toast";
import type { ActionResult } from "@/lib/http/action";

export type RowAction = {
  id: string;
  label: string;
  icon: ReactNode;
  /** The toast after success. */
  success: string;
  run: () => Promise<ActionResult<unknown>>;
  disabled?: boolean;
  /** Cannot be undone: last in the menu, set apart and in the danger colour. */
  destructive?: boolean;
  /** The question before the action; without it the action starts at once. */
  confirm?: { title: string; text: string };
};

type RowActionsProps = {
  /** The name of the row, for screen readers. */
  name: string;
  actions: RowAction[];
  onEdit: () => void;
  canEdit?: boolean;
  /** Extra buttons, in front. */
  children?: ReactNode;
};

const DONE_MS = 1500;

/** The buttons of a row: edit, and a menu with the other actions. */
export function RowActions({ name, actions, onEdit, canEdit = true, children }: RowActionsProps) {
  const t = useTranslations("common");
  const { pending, run } = useRunAction();
  const [asked, setAsked] = useState<RowAction | null>(null);
  const start = (action: RowAction) =>
    run(action.run, () => {
      setAsked(null);
      toast.success(action.success, { duration: DONE_MS });
    });
  const onSelect = (action: RowAction) => (action.confirm ? setAsked(action) : start(action));
  const trigger = (
    <Button variant="ghost" size="icon" aria-label={t("rowActions", { name })} pending={pending}>
      {pending ? null : <Ellipsis />}
    </Button>
  );
  const items = (destructive: boolean) =>
    actions
      .filter((action) => Boolean(action.destructive) === destructive)
      .map((action) => (
        <DropdownMenuItem
          key={action.id}
          variant={destructive ? "destructive" : "default"}
          disabled={action.disabled ?? false}
          onSelect={() => onSelect(action)}
        >
          {action.icon}
          {action.label}
        </DropdownMenuItem>
      ));
  const plain = items(false);
  const dangerous = items(true);
  return (
    <span className="flex justify-end gap-1">
      {children}
      <Button variant="ghost" size="icon" aria-label={`${t("edit")} ${name}`} disabled={!canEdit} onClick={onEdit}>
        <Pencil />
      </Button>
      {actions.length === 0 ? null : (
        <Menu trigger={trigger}>
          {plain}
          {plain.length > 0 && dangerous.length > 0 ? <DropdownMenuSeparator /> : null}
          {dangerous}
        </Menu>
      )}
      <ConfirmDialog
        open={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={() => (asked ? start(asked) : undefined)}
        pending={pending}
        title={asked?.confirm?.title ?? ""}
        text={asked?.confirm?.text ?? ""}
        confirm={asked?.label ?? ""}
        danger={asked?.destructive ?? false}
      />
    </span>
  );
}

type Run = RowAction["run"];

export function useCommonRowActions() {
  const t = useTranslations("common");
  return {
    toggle: (enabled: boolean, run: Run): RowAction => ({
      id: "toggle",
      label: enabled ? t("disable") : t("enable"),
      icon: enabled ? <CircleSlash aria-hidden /> : <CirclePlay aria-hidden />,
      success: enabled ? t("disabled") : t("enabled"),
      run,
    }),
    remove: (confirm: { title: string; text: string }, run: Run): RowAction => ({
      id: "remove",
      label: t("delete"),
      icon: <Trash2 aria-hidden />,
      success: t("deleted"),
      destructive: true,
      confirm,
      run,
    }),
  };
}
