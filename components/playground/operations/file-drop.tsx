"use client";

import { FileAudio, Mic, Square, Upload } from "lucide-react";
import { useTranslations } from "next-intl";
import { type DragEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { FileButton } from "./file-button";
import { useRecorder } from "./use-recorder";

type FileDropProps = { file: File | null; bytesMax: number; onFile: (file: File) => void };

const MEGABYTE = 1_048_576;

/** A sound file, chosen, dropped here or recorded. */
export function FileDrop({ file, bytesMax, onFile }: FileDropProps) {
  const t = useTranslations("playground");
  const [over, setOver] = useState(false);
  const recorder = useRecorder(onFile);
  const isTooLarge = file !== null && file.size > bytesMax;
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [first] = event.dataTransfer.files;
    if (first) onFile(first);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button beside does the same
    <div
      data-testid="file-drop"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={onDrop}
      className={cn("flex flex-col gap-3 rounded-lg border border-dashed bg-surface p-4", over && "border-primary")}
    >
      <div className="flex flex-wrap items-center gap-2">
        <FileButton accept="audio/*,video/mp4,video/webm,.mp3,.m4a,.wav,.flac,.ogg,.oga,.mpga" onFile={onFile}>
          <Upload className="size-4" aria-hidden />
          {t("transcriptions.choose")}
        </FileButton>
        {recorder.state === "recording" ? (
          <Button size="md" onClick={recorder.stop}>
            <Square className="fill-current text-destructive" aria-hidden />
            {t("transcriptions.stopRecording")}
          </Button>
        ) : (
          <Button size="md" onClick={() => void recorder.start()}>
            <Mic aria-hidden />
            {t("transcriptions.record")}
          </Button>
        )}
        <span className="text-muted-foreground text-xs">
          {t("transcriptions.drop", { max: String(Math.floor(bytesMax / MEGABYTE)) })}
        </span>
      </div>
      {recorder.state === "refused" ? (
        <p role="alert" className="text-destructive text-xs">
          {t("transcriptions.noMicrophone")}
        </p>
      ) : null}
      {file ? (
        <p className="flex min-w-0 items-center gap-2">
          <FileAudio className="size-4 shrink-0" aria-hidden />
          <span dir="auto" className="truncate">
            {file.name}
          </span>
          <span className="shrink-0 text-muted-foreground text-xs">
            {t("transcriptions.megabytes", { size: (file.size / MEGABYTE).toFixed(2) })}
          </span>
        </p>
      ) : null}
      {isTooLarge ? (
        <p role="alert" className="text-destructive text-xs">
          {t("transcriptions.tooLarge")}
        </p>
      ) : null}
    </div>
  );
}
