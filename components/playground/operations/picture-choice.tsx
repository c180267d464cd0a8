"use client";

import { ImageUp, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { useId } from "react";
import { Button } from "@/components/ui/button";
import { useObjectUrl } from "./use-object-url";

type PictureChoiceProps = { file: File | null; bytesMax: number; onFile: (file: File | null) => void };

/** The picture that the prompt changes, if any. */
export function PictureChoice({ file, bytesMax, onFile }: PictureChoiceProps) {
  const t = useTranslations("playground");
  const id = useId();
  const url = useObjectUrl(file);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <input
        id={id}
        type="file"
        accept="image/png,image/jpeg,image/webp"
        className="peer sr-only"
        onChange={(event) => {
          const [first] = event.target.files ?? [];
          if (first) onFile(first);
          // The same file can be chosen again after a change.
          event.target.value = "";
        }}
      />
      <label
        htmlFor={id}
        className="inline-flex h-9 cursor-pointer items-center gap-1.5 rounded-md border border-input bg-surface px-3.5 font-medium text-sm hover:bg-muted peer-focus-visible:outline-2 peer-focus-visible:outline-ring"
      >
        <ImageUp className="size-4" aria-hidden />
        {t("images.change")}
      </label>
      {file && url ? (
        <>
          {/* biome-ignore lint/performance/noImgElement: the user's own file */}
          <img src={url} alt={file.name} className="size-9 rounded-md border object-cover" />
          <span className="max-w-60 truncate text-sm">{file.name}</span>
          <Button variant="ghost" size="icon" aria-label={t("images.changeNone")} onClick={() => onFile(null)}>
            <X />
          </Button>
        </>
      ) : (
        <span className="text-muted-foreground text-xs">{t("images.changeHint")}</span>
      )}
      {file && file.size > bytesMax ? (
        <p role="alert" className="w-full text-destructive text-xs">
          {t("transcriptions.tooLarge")}
        </p>
      ) : null}
    </div>
  );
}
