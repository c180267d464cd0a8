"use client";

import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

/** Shows the signing secret of a new webhook. It cannot be shown again. */
export function NotificationSecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  const t = useTranslations("notify");
  const footer = (
    <>
      <CopyButton size="md" variant="primary" text={secret ?? ""} autoFocus>
        {t("copySecret")}
      </CopyButton>
      <Button size="md" onClick={onClose}>
        {t("secretDone")}
      </Button>
    </>
  );
  return (
    <Modal
      open={secret !== null}
      onClose={onClose}
      title={t("secretTitle")}
      description={t("secretText")}
      footer={footer}
    >
      <code dir="auto" className="block select-all break-all rounded-md bg-muted px-3 py-2.5 font-mono text-sm">
        {secret}
      </code>
    </Modal>
  );
}
