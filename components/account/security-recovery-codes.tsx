"use client";

import { Download } from "lucide-react";
import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";

/** Shows the recovery codes. They cannot be shown again, so the user can copy or download them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useTranslations("security");
  const text = codes.join("\n");
  const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${text}\n`)}`;
  const footer = (
    <>
      <Button asChild size="md">
        <a href={file} download="recovery-codes.txt">
          <Download />
          {t("recoverySave")}
        </a>
      </Button>
      <CopyButton size="md" text={text}>
        {t("recoveryCopy")}
      </CopyButton>
      <Button size="md" variant="primary" onClick={onClose}>
        {t("recoveryDone")}
      </Button>
    </>
  );
  return (
    <Modal open onClose={onClose} title={t("recoveryTitle")} description={t("recoveryText")} footer={footer}>
      <ul
        data-testid="recovery-codes"
        className="grid gap-1.5 rounded-md bg-muted p-3 font-mono text-sm sm:grid-cols-2"
      >
        {codes.map((code) => (
          <li key={code} className="select-all">
            {code}
          </li>
        ))}
      </ul>
    </Modal>
  );
}
