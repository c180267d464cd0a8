"use client";

import { useTranslations } from "next-intl";
import { useId, useState } from "react";
import { DrawerFooter } from "@/components/form/drawer-footer";
import { Field } from "@/components/form/field";
import { Modal } from "@/components/overlay/modal";
import { Input } from "@/components/ui/input";

type ViewNameDialogProps = {
  title: string;
  start: string;
  max: number;
  pending: boolean;
  onClose: () => void;
  onName: (name: string) => void;
};

export function ViewNameDialog({ title, start, max, pending, onClose, onName }: ViewNameDialogProps) {
  const t = useTranslations("list");
  const form = useId();
  const [name, setName] = useState(start);
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      footer={<DrawerFooter form={form} pending={pending} onCancel={onClose} />}
    >
      <form
        id={form}
        onSubmit={(event) => {
          event.preventDefault();
          onName(name);
        }}
      >
        <Field label={t("viewName")} hint={t("viewHint")}>
          {(control) => (
            <Input
              {...control}
              required
              maxLength={max}
              value={name}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Modal>
  );
}
