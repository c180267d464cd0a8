"use client";

import { useTranslations } from "next-intl";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

/** Shown after every sign-in while the account still uses the initial password set by the system. */
export function DefaultPasswordDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const t = useTranslations("login");
  const footer = (
    <Button variant="primary" size="md" onClick={onClose}>
      {t("defaultOk")}
    </Button>
  );
  return (
    <Modal open={open} onClose={onClose} title={t("defaultTitle")} description={t("defaultText")} footer={footer} />
  );
}
