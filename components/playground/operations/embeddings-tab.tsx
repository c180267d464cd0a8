"use client";

import { useTranslations } from "next-intl";
import { Textarea } from "@/components/ui/textarea";
import type { TabProps } from "../chat-tab";
import { CallFailure, callOperation } from "./call-operation";
import {
  type Embedded,
  isKeptEmbedded,
  type KeptEmbedded,
  keepEmbedded,
  readEmbeddings,
  readLines,
  TEXTS_MAX,
} from "./embeddings";
import { EmbeddingsView } from "./embeddings-view";
import { toOperationCode } from "./operation-code";
import { OperationTab } from "./operation-tab";
import { NumberField, numberIn } from "./parameter-fields";
import { onSendKey, SendBar } from "./send-bar";
import { type OperationKind, useOperation } from "./use-operation";

const DIMENSIONS_MAX = 65_536;

const usual = { dimensions: "" };
const kind: OperationKind<typeof usual, Embedded, KeptEmbedded> = {
  operation: "embeddings",
  usual,
  keep: keepEmbedded,
  isKept: isKeptEmbedded,
  restore: (kept) => ({ ...kept, vectors: null }),
};

/** Texts as vectors, and how near they are to each other. */
export function EmbeddingsTab(props: TabProps) {
  const t = useTranslations("playground");
  const tab = useOperation(kind, props);
  const { choice, input, run } = tab;
  const texts = readLines(input);
  const dimensions = numberIn(choice.parameters.dimensions, 1, DIMENSIONS_MAX);
  const body = {
    model: choice.model,
    input: texts.length > 0 ? texts : ["Hello"],
    ...(dimensions ? { dimensions } : {}),
    encoding_format: "float",
  };
  const isRunning = run?.state === "running";
  const isReady = choice.model !== "" && texts.length > 0 && texts.length <= TEXTS_MAX && dimensions !== null;
  const send = () => {
    if (isRunning || !isReady) return;
    tab.begin(texts[0] ?? "", (context) => async (signal, report) => {
      const answer = await callOperation("embeddings", body, { ...context, signal });
      report({ requestId: answer.requestId });
      const result = answer.kind === "json" ? readEmbeddings(answer.json, texts) : null;
      if (result) return result;
      throw new CallFailure(t("embeddings.unreadable"), { status: 200, requestId: answer.requestId });
    });
  };
  return (
    <OperationTab
      groups={props.choices.groups}
      tab={tab}
      usual={usual}
      about={t("embeddings.about")}
      toCode={(language) => toOperationCode(language, { operation: "embeddings", baseUrl: props.baseUrl, body })}
      fields={
        <NumberField
          label={t("embeddings.dimensions")}
          hint={t("embeddings.dimensionsHint")}
          min={1}
          max={DIMENSIONS_MAX}
          value={choice.parameters.dimensions}
          onValue={(value) => tab.change({ parameters: { dimensions: value } })}
        />
      }
      composer={
        <div className="flex flex-col gap-2">
          <Textarea
            aria-label={t("embeddings.texts")}
            placeholder={t("embeddings.textsPlaceholder")}
            rows={6}
            value={input}
            onChange={(event) => tab.setInput(event.target.value)}
            onKeyDown={(event) => onSendKey(event, send)}
          />
          <SendBar label={t("embeddings.send")} running={isRunning} disabled={!isReady} onSend={send} onStop={tab.stop}>
            {texts.length > TEXTS_MAX
              ? t("embeddings.tooMany", { max: TEXTS_MAX })
              : t("embeddings.count", { count: texts.length })}
          </SendBar>
        </div>
      }
      renderResult={(result) => <EmbeddingsView result={result} />}
    />
  );
}
