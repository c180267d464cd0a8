"use client";

import { CircleCheck, Download } from "lucide-react";
import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { downloadText } from "@/components/form/download-text";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { CodeBlock } from "@/components/ui/code-block";

export type MadeCodes = { name: string; keys: string[] };

/** Offers newly created codes as a text file named after the batch. */
export function NewCodesDialog({ made, onClose }: { made: MadeCodes | null; onClose: () => void }) {
  const t = useTranslations("redemption");
  const common = useTranslations("common");
  const { name, keys } = made ?? { name: "", keys: [] };
  const lines = keys.join("\n");
  const title = (
    <span className="flex items-center gap-2">
      <CircleCheck className="size-5 text-success" aria-hidden />
      {t("madeTitle")}
    </span>
  );
  const footer = (
    <>
      <Button size="md" variant="primary" autoFocus onClick={() => downloadText(`${name}.txt`, lines)}>
        <Download aria-hidden />
        {t("download")}
      </Button>
      <CopyButton size="md" text={lines}>
        {t("copyAll")}
      </CopyButton>
      <Button size="md" onClick={onClose}>
        {common("close")}
      </Button>
    </>
  );
  return (
    <Modal
      open={made !== null}
      onClose={onClose}
      title={title}
      description={t("madeText", { count: keys.length, name })}
      footer={footer}
      className="max-w-lg"
    >
      <CodeBlock className="max-h-60">{lines}</CodeBlock>
    </Modal>
  );
}
