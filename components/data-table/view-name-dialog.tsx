"use client";

import { useTranslations } from "next-intl";
import { useId } from "react";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { EditClashes } from "@/components/form/edit-clashes";
import { Field } from "@/components/form/field";
import { type Editing, useEdit } from "@/components/form/use-edit";
import { Modal } from "@/components/overlay/modal";
import { Input } from "@/components/ui/input";
import type { Seen } from "@/lib/seen";

type ViewNameDialogProps = {
  title: string;
  start: string;
  max: number;
  pending: boolean;
  onClose: () => void;
  onName: (change: Named & { seen: Seen }, onFailure: Editing<Named, Named, Named>["onFailure"]) => void;
};

type Named = { name: string };

const SHAPE = { toDraft: (row: Named | null) => row ?? { name: "" }, toInput: ({ name }: Named) => ({ name }) };

export function ViewNameDialog({ title, start, max, pending, onClose, onName }: ViewNameDialogProps) {
  const t = useTranslations("list");
  const form = useId();
  const edit = useEdit({ name: start }, SHAPE);
  const { name } = edit.draft;
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      footer={<DrawerFooter form={form} pending={pending} onCancel={onClose} />}
    >
      <form
        id={form}
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          onName({ name, seen: edit.changes()?.seen ?? {} }, edit.onFailure);
        }}
      >
        <EditClashes edit={edit} labels={{ name: t("viewName") }} />
        <Field label={t("viewName")} hint={t("viewHint")} error={edit.errors.name}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={max}
              value={name}
              autoComplete="off"
              onChange={(event) => edit.onChange({ name: event.target.value })}
            />
          )}
        </Field>
      </form>
    </Modal>
  );
}
