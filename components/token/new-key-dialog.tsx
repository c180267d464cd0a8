"use client";

import { CircleCheck, Download } from "lucide-react";
import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { downloadText } from "@/components/form/download-text";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { CodeSnippets } from "./code-snippets";

/** The key includes "sk-". */
export type ShownKey = { name: string; key: string };

type NewKeyDialogProps = {
  /** Empty = closed. */
  made: readonly ShownKey[];
  title: string;
  text: string;
  serverAddress: string;
  /** Error message if fewer tokens were created than requested. */
  failure?: string | null;
  onClose: () => void;
};

/** One line per token: name, four spaces, key (B075). */
export function keyLines(keys: readonly ShownKey[]): string {
  return keys.map(({ name, key }) => `${name}    ${key}`).join("\n");
}

/** Shows whole keys after creation: one token with sample code, several as a list to copy. */
export function NewKeyDialog({ made, title, text, serverAddress, failure, onClose }: NewKeyDialogProps) {
  const t = useTranslations("token");
  const [first] = made;
  const lines = keyLines(made);
  const heading = (
    <span className="flex items-center gap-2">
      <CircleCheck className="size-5 text-success" aria-hidden />
      {title}
    </span>
  );
  const footer = (
    <>
      {made.length > 1 ? (
        <Button size="md" onClick={() => downloadText(`${first?.name ?? "tokens"}.txt`, lines)}>
          <Download aria-hidden />
          {t("downloadKeys")}
        </Button>
      ) : null}
      <CopyButton size="md" variant="primary" text={made.length > 1 ? lines : (first?.key ?? "")} autoFocus>
        {made.length > 1 ? t("copyKeys") : t("copyKey")}
      </CopyButton>
      <Button size="md" onClick={onClose}>
        {t("createdDone")}
      </Button>
    </>
  );
  return (
    <Modal
      open={made.length > 0}
      onClose={onClose}
      title={heading}
      description={text}
      footer={footer}
      className="max-w-2xl"
    >
      {failure ? (
        <p role="alert" className="mb-3 rounded-md border border-destructive/40 px-3 py-2 text-destructive">
          {t("createdPart", { count: made.length, reason: failure })}
        </p>
      ) : null}
      {first && made.length === 1 ? (
        <div className="flex flex-col gap-4">
          <code
            dir="auto"
            data-testid="new-key"
            className="block select-all break-all rounded-md bg-muted px-3 py-2.5 font-mono text-sm"
          >
            {first.key}
          </code>
          <CodeSnippets serverAddress={serverAddress} tokenKey={first.key} />
        </div>
      ) : (
        <KeyList made={made} />
      )}
    </Modal>
  );
}

function KeyList({ made }: { made: readonly ShownKey[] }) {
  return (
    <ul className="flex flex-col gap-1.5">
      {made.map(({ name, key }) => (
        <li key={key} className="rounded-md bg-muted px-3 py-1.5">
          <span className="block font-medium text-xs">{name}</span>
          <code dir="auto" data-testid="new-key" className="block select-all break-all font-mono text-xs">
            {key}
          </code>
        </li>
      ))}
    </ul>
  );
}
