"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Field } from "@/components/form/field";
import { SwitchField } from "@/components/form/switch-field";
import { Textarea } from "@/components/ui/textarea";
import type { TabProps } from "../chat-tab";
import { callOperation } from "./call-operation";
import { FileDrop } from "./file-drop";
import { toOperationCode } from "./operation-code";
import { OperationTab } from "./operation-tab";
import { ChoiceField, NumberField, numberIn, SuggestionField } from "./parameter-fields";
import { SendBar } from "./send-bar";
import { TranscriptView } from "./transcript-view";
import {
  FILE_BYTES_MAX,
  FORMATS,
  isKeptTranscript,
  type KeptTranscript,
  keepTranscript,
  readTranscript,
  type Transcript,
  type TranscriptionParameters,
  toForm,
  toTranscriptionFields,
} from "./transcriptions";
import { type OperationKind, useOperation } from "./use-operation";

const LANGUAGES = ["zh", "en", "ja", "ko", "de", "fr", "es", "pt", "it", "ru", "ar", "hi"];

const usual: TranscriptionParameters = { language: "", format: "", prompt: "", temperature: "", isStreamed: false };
const kind: OperationKind<TranscriptionParameters, Transcript, KeptTranscript> = {
  operation: "transcriptions",
  usual,
  keep: keepTranscript,
  isKept: isKeptTranscript,
  restore: (kept) => ({ ...kept, raw: kept.text }),
};

/** Speech as text. */
export function TranscriptionsTab(props: TabProps) {
  const t = useTranslations("playground");
  const tab = useOperation(kind, props);
  const [file, setFile] = useState<File | null>(null);
  const { choice, run } = tab;
  const { parameters } = choice;
  const temperature = numberIn(parameters.temperature, 0, 1);
  const fields = toTranscriptionFields(choice.model, parameters, temperature ?? undefined);
  const isRunning = run?.state === "running";
  const isReady = choice.model !== "" && file !== null && file.size <= FILE_BYTES_MAX && temperature !== null;
  const send = () => {
    if (isRunning || !isReady) return;
    const texts = { none: t("transcriptions.none") };
    tab.begin(file.name, (context) => async (signal, report) => {
      const answer = await callOperation("transcriptions", toForm(fields, file), { ...context, signal });
      report({ requestId: answer.requestId });
      return readTranscript(answer, parameters.format, texts, (result) => report({ result }));
    });
  };
  const fileName = file?.name ?? "speech.mp3";
  return (
    <OperationTab
      groups={props.choices.groups}
      tab={tab}
      usual={usual}
      about={t("transcriptions.about")}
      toCode={(language) =>
        toOperationCode(language, {
          operation: "transcriptions",
          baseUrl: props.baseUrl,
          body: typed(fields),
          fileName,
        })
      }
      fields={
        <TranscriptionFields
          parameters={parameters}
          onChange={(change) => tab.change({ parameters: { ...parameters, ...change } })}
        />
      }
      composer={
        <div className="flex flex-col gap-2">
          <FileDrop file={file} bytesMax={FILE_BYTES_MAX} onFile={setFile} />
          <SendBar
            label={t("transcriptions.send")}
            running={isRunning}
            disabled={!isReady}
            onSend={send}
            onStop={tab.stop}
          />
        </div>
      }
      renderResult={(transcript) => <TranscriptView transcript={transcript} />}
    />
  );
}

/** The fields of a form as a client in code gives them. */
function typed({ temperature, stream, ...rest }: Record<string, string>): Record<string, unknown> {
  return {
    ...rest,
    ...(temperature === undefined ? {} : { temperature: Number(temperature) }),
    ...(stream === undefined ? {} : { stream: true }),
  };
}

type TranscriptionFieldsProps = {
  parameters: TranscriptionParameters;
  onChange: (change: Partial<TranscriptionParameters>) => void;
};

function TranscriptionFields({ parameters, onChange }: TranscriptionFieldsProps) {
  const t = useTranslations("playground");
  return (
    <>
      <SuggestionField
        label={t("transcriptions.language")}
        hint={t("transcriptions.languageHint")}
        value={parameters.language}
        choices={LANGUAGES}
        max={16}
        onValue={(language) => onChange({ language })}
      />
      <ChoiceField
        label={t("call.format")}
        value={parameters.format}
        choices={FORMATS}
        onValue={(format) => onChange({ format })}
      />
      <NumberField
        label={t("temperature")}
        min={0}
        max={1}
        step={0.1}
        value={parameters.temperature}
        onValue={(temperature) => onChange({ temperature })}
      />
      <Field label={t("transcriptions.prompt")} hint={t("transcriptions.promptHint")}>
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            value={parameters.prompt}
            onChange={(event) => onChange({ prompt: event.target.value })}
          />
        )}
      </Field>
      <SwitchField
        label={t("transcriptions.stream")}
        hint={t("transcriptions.streamHint")}
        checked={parameters.isStreamed}
        onChecked={(isStreamed) => onChange({ isStreamed })}
      />
    </>
  );
}
