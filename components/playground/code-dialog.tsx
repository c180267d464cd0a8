"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Modal } from "@/components/overlay/modal";
import { CodeBlock } from "@/components/ui/code-block";
import { Segmented } from "@/components/ui/segmented";
import type { CodeLanguage } from "./code-samples";

type CodeDialogProps = {
  open: boolean;
  onClose: () => void;
  /** The request as sample code. */
  toCode: (language: CodeLanguage) => string;
};

const CHOICES: readonly { value: CodeLanguage; label: string }[] = [
  { value: "curl", label: "curl" },
  { value: "python", label: "Python" },
  { value: "typescript", label: "TypeScript" },
];

export function CodeDialog({ open, onClose, toCode }: CodeDialogProps) {
  const t = useTranslations("playground");
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const code = open ? toCode(language) : "";
  return (
    <Modal open={open} onClose={onClose} title={t("viewCode")} description={t("viewCodeText")} className="max-w-3xl">
      <div className="mb-2 flex items-center justify-between gap-3">
        <Segmented label={t("language")} value={language} choices={CHOICES} onValue={setLanguage} />
        <CopyButton text={code}>{t("copyCode")}</CopyButton>
      </div>
      <CodeBlock className="max-h-[60dvh]">{code}</CodeBlock>
    </Modal>
  );
}
