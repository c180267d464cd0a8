"use client";

import { useTranslations } from "next-intl";
import { useState } from "react";
import { Textarea } from "@/components/ui/textarea";
import type { TabProps } from "../chat-tab";
import { callOperation } from "./call-operation";
import {
  COUNT_MAX,
  type ImageParameters,
  PARTIALS_MAX,
  PICTURE_BYTES_MAX,
  type Picture,
  readPictures,
  toEditForm,
  toImageBody,
} from "./images";
import { toOperationCode } from "./operation-code";
import { OperationTab } from "./operation-tab";
import { ChoiceField, NumberField, numberIn, SuggestionField } from "./parameter-fields";
import { PictureChoice } from "./picture-choice";
import { PicturesView } from "./pictures-view";
import { onSendKey, SendBar } from "./send-bar";
import { areKeptPictures, type KeptPicture, keepPictures, restorePictures } from "./thumbnail";
import { type OperationKind, useOperation } from "./use-operation";

const SIZES = ["auto", "1024x1024", "1536x1024", "1024x1536", "1792x1024", "1024x1792", "512x512", "256x256"];
const QUALITIES = ["auto", "low", "medium", "high", "standard", "hd"];
const FORMATS = ["png", "jpeg", "webp"];

const usual: ImageParameters = { size: "", quality: "", count: "", partials: "", format: "" };
const kind: OperationKind<ImageParameters, readonly Picture[], KeptPicture[]> = {
  operation: "images",
  usual,
  keep: keepPictures,
  isKept: areKeptPictures,
  restore: restorePictures,
};

/** Pictures from a prompt, or from a prompt and a picture that it changes. */
export function ImagesTab(props: TabProps) {
  const t = useTranslations("playground");
  const tab = useOperation(kind, props);
  const [changed, setChanged] = useState<File | null>(null);
  const { choice, input, run } = tab;
  const count = numberIn(choice.parameters.count, 1, COUNT_MAX);
  const partials = numberIn(choice.parameters.partials, 0, PARTIALS_MAX);
  const prompt = input.trim();
  const isValid = count !== null && partials !== null;
  const body = toImageBody(choice.model, prompt || t("images.example"), choice.parameters, {
    count: count ?? undefined,
    partials: partials ?? undefined,
  });
  const isRunning = run?.state === "running";
  const isReady = choice.model !== "" && prompt !== "" && isValid && (changed?.size ?? 0) <= PICTURE_BYTES_MAX;
  const send = () => {
    if (isRunning || !isReady) return;
    tab.begin(prompt, (context) => async (signal, report) => {
      const about = { ...context, signal };
      const answer = await (changed
        ? callOperation("edits", toEditForm(body, changed), about)
        : callOperation("images", body, about));
      report({ requestId: answer.requestId });
      return readPictures(answer, t("images.none"), (result) => report({ result }));
    });
  };
  return (
    <OperationTab
      groups={props.choices.groups}
      tab={tab}
      usual={usual}
      about={t("images.about")}
      toCode={(language) =>
        toOperationCode(language, {
          baseUrl: props.baseUrl,
          body,
          ...(changed ? { operation: "edits", fileName: changed.name } : { operation: "images" }),
        })
      }
      fields={
        <ImageFields
          parameters={choice.parameters}
          onChange={(change) => tab.change({ parameters: { ...choice.parameters, ...change } })}
        />
      }
      composer={
        <div className="flex flex-col gap-2">
          <Textarea
            aria-label={t("images.prompt")}
            placeholder={t("images.promptPlaceholder")}
            rows={4}
            value={input}
            onChange={(event) => tab.setInput(event.target.value)}
            onKeyDown={(event) => onSendKey(event, send)}
          />
          <PictureChoice file={changed} bytesMax={PICTURE_BYTES_MAX} onFile={setChanged} />
          <SendBar label={t("images.send")} running={isRunning} disabled={!isReady} onSend={send} onStop={tab.stop}>
            {t("call.keys")}
          </SendBar>
        </div>
      }
      renderResult={(pictures) => <PicturesView pictures={pictures} prompt={prompt} />}
    />
  );
}

type ImageFieldsProps = { parameters: ImageParameters; onChange: (change: Partial<ImageParameters>) => void };

function ImageFields({ parameters, onChange }: ImageFieldsProps) {
  const t = useTranslations("playground");
  return (
    <>
      <SuggestionField
        label={t("images.size")}
        hint={t("images.sizeHint")}
        value={parameters.size}
        choices={SIZES}
        onValue={(size) => onChange({ size })}
      />
      <ChoiceField
        label={t("images.quality")}
        value={parameters.quality}
        choices={QUALITIES}
        onValue={(quality) => onChange({ quality })}
      />
      <NumberField
        label={t("images.count")}
        min={1}
        max={COUNT_MAX}
        value={parameters.count}
        onValue={(count) => onChange({ count })}
      />
      <NumberField
        label={t("images.partials")}
        hint={t("images.partialsHint")}
        min={0}
        max={PARTIALS_MAX}
        value={parameters.partials}
        onValue={(partials) => onChange({ partials })}
      />
      <ChoiceField
        label={t("call.format")}
        value={parameters.format}
        choices={FORMATS}
        onValue={(format) => onChange({ format })}
      />
    </>
  );
}
