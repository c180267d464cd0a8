"use client";

import { Download } from "lucide-react";
import { useTranslations } from "next-intl";
import { CopyButton } from "@/components/form/copy-button";
import { downloadText } from "@/components/form/download-text";
import { Button } from "@/components/ui/button";
import { fileEnding, readSegments, type Transcript } from "./transcriptions";

/** The text, with its times where the answer has them. */
export function TranscriptView({ transcript }: { transcript: Transcript }) {
  const t = useTranslations("playground");
  const { text, raw, format } = transcript;
  const segments = readSegments(transcript);
  const isPreformatted = format === "srt" || format === "vtt";
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div
        data-testid="transcript"
        className={`whitespace-pre-wrap break-words rounded-lg border bg-surface px-3.5 py-2.5 ${isPreformatted ? "font-mono text-xs" : ""}`}
      >
        {text === "" ? <span className="text-muted-foreground">{t("transcriptions.silence")}</span> : text}
      </div>
      {segments.length > 0 ? (
        <ol className="flex flex-col gap-1 text-xs">
          {segments.map((segment, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place
            <li key={at} className="flex gap-3">
              <span className="shrink-0 text-muted-foreground tabular-nums">
                {segment.start.toFixed(1)}–{segment.end.toFixed(1)}
              </span>
              <span dir="auto" className="min-w-0 break-words">
                {segment.text}
              </span>
            </li>
          ))}
        </ol>
      ) : null}
      <div className="flex flex-wrap gap-2">
        <CopyButton text={text}>{t("transcriptions.copy")}</CopyButton>
        {raw !== "" && raw !== text ? <CopyButton text={raw}>{t("embeddings.copy")}</CopyButton> : null}
        <Button onClick={() => downloadText(`transcript.${fileEnding(format)}`, text)}>
          <Download aria-hidden />
          {t("call.download")}
        </Button>
      </div>
    </div>
  );
}
