"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { CodeBlock } from "@/components/ui/code-block";
import { Segmented } from "@/components/ui/segmented";
import { KEY_PLACEHOLDER } from "./code-snippets";
import { operationSnippets, type SampledOperation } from "./operation-samples";

type OperationCodeProps = { serverAddress: string; model: string; operations: readonly SampledOperation[] };

/** Sample code for each operation of a model that is not for conversations. */
export function OperationCode({ serverAddress, model, operations }: OperationCodeProps) {
  const t = useTranslations("snippet");
  const nameOf = useTranslations("operation");
  const [operation, setOperation] = useState(operations[0]);
  const [language, setLanguage] = useState("curl");
  if (!operation) return null;
  const snippets = operationSnippets(operation, { serverAddress, key: KEY_PLACEHOLDER, model });
  const shown = snippets.find(({ id }) => id === language) ?? snippets[0];
  return (
    <div className="flex flex-col gap-3">
      {operations.length > 1 ? (
        <Segmented
          label={t("operation")}
          value={operation}
          choices={operations.map((value) => ({ value, label: nameOf(value) }))}
          onValue={setOperation}
          className="min-w-0 flex-wrap self-start"
        />
      ) : (
        <p className="text-muted-foreground text-sm">{nameOf(operation)}</p>
      )}
      <div className="flex items-start justify-between gap-3">
        <Segmented
          label={t("client")}
          value={shown?.id ?? ""}
          choices={snippets.map(({ id, label }) => ({ value: id, label }))}
          onValue={setLanguage}
          className="min-w-0 flex-wrap"
        />
        <CopyButton size="icon" aria-label={t("copy", { client: shown?.label ?? "" })} text={shown?.text ?? ""} />
      </div>
      <CodeBlock className="max-h-80">{shown?.text}</CodeBlock>
    </div>
  );
}
