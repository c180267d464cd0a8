"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { CopyButton } from "@/components/form/copy-button";
import { Field } from "@/components/form/field";
import { useRunAction } from "@/components/form/use-run-action";
import { CodeBlock } from "@/components/ui/code-block";
import { Input } from "@/components/ui/input";
import { NativeSelect } from "@/components/ui/native-select";
import { Segmented } from "@/components/ui/segmented";
import { revealToken } from "./actions";
import { snippetsOf } from "./snippets";

/** Shown when no token is selected. */
export const KEY_PLACEHOLDER = "sk-…";
const DEFAULT_MODEL = "gpt-4o-mini";

type TokenChoice = { id: number; name: string; keyHint: string };

type CodeSnippetsProps = {
  serverAddress: string;
  model?: string;
  /** The key of a token that was just created. */
  tokenKey?: string;
  /** The user's tokens to choose from; the key of the selected token is fetched on demand. */
  tokens?: readonly TokenChoice[];
};

/** Sample code for a first request with the site's address and a key, for several languages and clients. */
export function CodeSnippets({ serverAddress, model = DEFAULT_MODEL, tokenKey, tokens }: CodeSnippetsProps) {
  const t = useTranslations("snippet");
  const { pending, run } = useRunAction();
  const [shown, setShown] = useState("curl");
  const [asked, setAsked] = useState(model);
  const [chosen, setChosen] = useState<{ id: number; key: string } | null>(null);
  const key = chosen?.key ?? tokenKey ?? KEY_PLACEHOLDER;
  const snippets = snippetsOf({ serverAddress, key, model: asked.trim() || DEFAULT_MODEL });
  const snippet = snippets.find(({ id }) => id === shown) ?? snippets[0];
  const onToken = (id: number) => {
    if (id === 0) return setChosen(null);
    run(
      () => revealToken({ id }),
      (found) => setChosen({ id, key: found }),
    );
  };
  return (
    <div className="flex flex-col gap-3">
      <div className="grid gap-3 sm:grid-cols-2">
        {tokens ? <TokenPicker tokens={tokens} chosen={chosen?.id ?? 0} disabled={pending} onToken={onToken} /> : null}
        <Field label={t("model")}>
          {(control) => (
            <Input
              {...control}
              value={asked}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setAsked(event.target.value)}
            />
          )}
        </Field>
      </div>
      <div className="flex items-start justify-between gap-3">
        <Segmented
          label={t("client")}
          value={shown}
          choices={snippets.map(({ id, label }) => ({ value: id, label }))}
          onValue={setShown}
          className="min-w-0 flex-wrap"
        />
        <CopyButton size="icon" aria-label={t("copy", { client: snippet?.label ?? "" })} text={snippet?.text ?? ""} />
      </div>
      <CodeBlock className="max-h-80">{snippet?.text}</CodeBlock>
      <p dir="auto" className="break-all text-muted-foreground text-xs">
        {t("baseUrl", { address: `${serverAddress}/v1` })}
      </p>
    </div>
  );
}

type TokenPickerProps = {
  tokens: readonly TokenChoice[];
  /** Token id; 0 = none. */
  chosen: number;
  disabled: boolean;
  onToken: (id: number) => void;
};

function TokenPicker({ tokens, chosen, disabled, onToken }: TokenPickerProps) {
  const t = useTranslations("snippet");
  return (
    <Field label={t("token")}>
      {(control) => (
        <NativeSelect
          {...control}
          value={chosen}
          disabled={disabled}
          onChange={(event) => onToken(Number(event.target.value))}
        >
          <option value={0}>{t("noToken")}</option>
          {tokens.map(({ id, name, keyHint }) => (
            <option key={id} value={id}>{`${name} (sk-${keyHint})`}</option>
          ))}
        </NativeSelect>
      )}
    </Field>
  );
}
