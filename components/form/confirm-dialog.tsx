"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

type ConfirmDialogProps = {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  pending: boolean;
  title: string;
  text: string;
  confirm: string;
  /** Whether the action is destructive. */
  danger?: boolean;
};

/** Asks for confirmation; the initial focus is on "cancel". */
export function ConfirmDialog({ open, onClose, onConfirm, pending, danger = true, ...texts }: ConfirmDialogProps) {
  const t = useTranslations("common");
  // Keeps the last texts while the dialog fades out.
  const [shown, setShown] = useState(texts);
  if (open && shown.title !== texts.title) setShown(texts);
  const { title, text, confirm } = open ? texts : shown;
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending} autoFocus>
        {t("cancel")}
      </Button>
      <Button size="md" variant={danger ? "destructive" : "primary"} onClick={onConfirm} pending={pending}>
        {confirm}
      </Button>
    </>
  );
  return <Modal open={open} onClose={onClose} title={title} description={text} footer={footer} />;
}
