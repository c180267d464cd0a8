"use client";

import { useTranslations } from "next-intl";
import type { ReactNode } from "react";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

type ApplyDialogProps = {
  title: string;
  description: string;
  className?: string;
  onApply: () => void;
  onClose: () => void;
  children: ReactNode;
};

/** A dialog whose entries go into the form behind it when they are applied. It stays open until `onApply` closes it. */
export function ApplyDialog({ title, description, className, onApply, onClose, children }: ApplyDialogProps) {
  const common = useTranslations("common");
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      description={description}
      {...(className === undefined ? {} : { className })}
      footer={
        <>
          <Button size="md" onClick={onClose}>
            {common("cancel")}
          </Button>
          <Button size="md" variant="primary" onClick={onApply}>
            {common("submit")}
          </Button>
        </>
      }
    >
      {children}
    </Modal>
  );
}
