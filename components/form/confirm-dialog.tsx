"use client";

import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";

type ConfirmDialogProps = {
  open: boolean;
  onClose: () => void;
  onConfirm: () => void;
  pending: boolean;
  title: string;
  text: string;
  confirm: string;
};

/** Asks before something that cannot be undone; the focus starts on the way out. */
export function ConfirmDialog({ open, onClose, onConfirm, pending, title, text, confirm }: ConfirmDialogProps) {
  const t = useTranslations("common");
  const footer = (
    <>
      <Button size="md" onClick={onClose} disabled={pending} autoFocus>
        {t("cancel")}
      </Button>
      <Button size="md" variant="destructive" onClick={onConfirm} pending={pending}>
        {confirm}
      </Button>
    </>
  );
  return <Dialog open={open} onClose={onClose} title={title} description={text} footer={footer} />;
}
