"use client";

import { Download } from "lucide-react";
import { useTranslations } from "next-intl";
import { useMemo } from "react";
import { Field } from "@/components/form/field";
import { Button } from "@/components/ui/button";
import { Textarea } from "@/components/ui/textarea";
import type { TabProps } from "../chat-tab";
import { callOperation } from "./call-operation";
import { toOperationCode } from "./operation-code";
import { OperationTab } from "./operation-tab";
import { ChoiceField, NumberField, numberIn, SuggestionField } from "./parameter-fields";
import { onSendKey, SendBar } from "./send-bar";
import {
  FORMATS,
  isKeptSpeech,
  type KeptSpeech,
  keepSpeech,
  readSpeech,
  SPEED,
  type Speech,
  type SpeechParameters,
  toPlayable,
  toSpeechBody,
} from "./speech";
import { useObjectUrl } from "./use-object-url";
import { type OperationKind, useOperation } from "./use-operation";

const VOICES = ["alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"];

const usual: SpeechParameters = { voice: "", format: "", speed: "", instructions: "" };
const kind: OperationKind<SpeechParameters, Speech, KeptSpeech> = {
  operation: "speech",
  usual,
  keep: keepSpeech,
  isKept: isKeptSpeech,
  restore: (kept) => ({ ...kept, blob: null }),
};

/** A text read aloud. */
export function SpeechTab(props: TabProps) {
  const t = useTranslations("playground");
  const tab = useOperation(kind, props);
  const { choice, input, run } = tab;
  const { parameters } = choice;
  const speed = numberIn(parameters.speed, SPEED.min, SPEED.max);
  const text = input.trim();
  const body = toSpeechBody(choice.model, text || t("speech.example"), parameters, speed ?? undefined);
  const isRunning = run?.state === "running";
  const isReady = choice.model !== "" && text !== "" && speed !== null;
  const send = () => {
    if (isRunning || !isReady) return;
    const texts = { none: t("speech.none"), tooLarge: t("speech.tooLarge") };
    tab.begin(text.slice(0, 80), (context) => async (signal, report) => {
      const answer = await callOperation("speech", body, { ...context, signal });
      report({ requestId: answer.requestId });
      return readSpeech(answer, parameters.format, texts);
    });
  };
  return (
    <OperationTab
      groups={props.choices.groups}
      tab={tab}
      usual={usual}
      about={t("speech.about")}
      toCode={(language) => toOperationCode(language, { operation: "speech", baseUrl: props.baseUrl, body })}
      fields={
        <SpeechFields
          parameters={parameters}
          onChange={(change) => tab.change({ parameters: { ...parameters, ...change } })}
        />
      }
      composer={
        <div className="flex flex-col gap-2">
          <Textarea
            aria-label={t("speech.text")}
            placeholder={t("speech.textPlaceholder")}
            rows={6}
            value={input}
            onChange={(event) => tab.setInput(event.target.value)}
            onKeyDown={(event) => onSendKey(event, send)}
          />
          <SendBar label={t("speech.send")} running={isRunning} disabled={!isReady} onSend={send} onStop={tab.stop}>
            {t("speech.count", { count: [...text].length })}
          </SendBar>
        </div>
      }
      renderResult={(speech) => <SpeechView speech={speech} />}
    />
  );
}

type SpeechFieldsProps = { parameters: SpeechParameters; onChange: (change: Partial<SpeechParameters>) => void };

function SpeechFields({ parameters, onChange }: SpeechFieldsProps) {
  const t = useTranslations("playground");
  return (
    <>
      <SuggestionField
        label={t("speech.voice")}
        hint={t("speech.voiceHint")}
        value={parameters.voice}
        choices={VOICES}
        onValue={(voice) => onChange({ voice })}
      />
      <ChoiceField
        label={t("call.format")}
        value={parameters.format}
        choices={FORMATS}
        onValue={(format) => onChange({ format })}
      />
      <NumberField
        label={t("speech.speed")}
        {...SPEED}
        value={parameters.speed}
        onValue={(speed) => onChange({ speed })}
      />
      <Field label={t("speech.instructions")} hint={t("speech.instructionsHint")}>
        {(control) => (
          <Textarea
            {...control}
            rows={3}
            value={parameters.instructions}
            onChange={(event) => onChange({ instructions: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

function SpeechView({ speech }: { speech: Speech }) {
  const t = useTranslations("playground");
  const playable = useMemo(() => toPlayable(speech), [speech]);
  const heard = useObjectUrl(playable);
  const file = useObjectUrl(speech.blob);
  if (!speech.blob) return <p className="text-muted-foreground">{t("speech.notKept")}</p>;
  if (!heard || !file) return null;
  return (
    <div className="flex flex-wrap items-center gap-3">
      {/* biome-ignore lint/a11y/useMediaCaption: the words stand above */}
      <audio controls src={heard} aria-label={t("speech.player")} className="min-w-0 max-w-full flex-1" />
      <Button asChild size="md">
        <a href={file} download={`speech.${speech.format}`}>
          <Download aria-hidden />
          {t("call.download")}
        </a>
      </Button>
    </div>
  );
}
