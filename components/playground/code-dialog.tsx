"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Modal } from "@/components/overlay/modal";
import { CodeBlock } from "@/components/ui/code-block";
import { Segmented } from "@/components/ui/segmented";
import { type CodeLanguage, toCode } from "./code-samples";
import { type Lane, toWireMessages } from "./conversation";
import type { PlaygroundSettings } from "./settings";

type CodeDialogProps = {
  open: boolean;
  onClose: () => void;
  baseUrl: string;
  lane: Lane;
  settings: PlaygroundSettings;
};

const CHOICES: readonly { value: CodeLanguage; label: string }[] = [
  { value: "curl", label: "curl" },
  { value: "python", label: "Python" },
  { value: "typescript", label: "TypeScript" },
];

/** The current conversation as sample code. */
export function CodeDialog({ open, onClose, baseUrl, lane, settings }: CodeDialogProps) {
  const t = useTranslations("playground");
  const [language, setLanguage] = useState<CodeLanguage>("curl");
  const messages = toWireMessages(lane, settings.system);
  // The sample ends with the user's question, so trailing answers are removed.
  while (messages.at(-1)?.role === "assistant") messages.pop();
  const code = toCode(language, { baseUrl, model: lane.model, messages, settings });
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
