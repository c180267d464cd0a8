"use client";

import { ImageUp, X } from "lucide-react";
import { useTranslations } from "next-intl";
import { Button } from "@/components/ui/button";
import { FileButton } from "./file-button";
import { useObjectUrl } from "./use-object-url";

type PictureChoiceProps = { file: File | null; bytesMax: number; onFile: (file: File | null) => void };

/** The picture that the prompt changes, if any. */
export function PictureChoice({ file, bytesMax, onFile }: PictureChoiceProps) {
  const t = useTranslations("playground");
  const url = useObjectUrl(file);
  return (
    <div className="flex min-w-0 flex-wrap items-center gap-2">
      <FileButton accept="image/png,image/jpeg,image/webp" onFile={onFile}>
        <ImageUp className="size-4" aria-hidden />
        {t("images.change")}
      </FileButton>
      {file && url ? (
        <>
          {/* biome-ignore lint/performance/noImgElement: the user's own file */}
          <img src={url} alt={file.name} className="size-9 rounded-md border object-cover" />
          <span dir="auto" className="max-w-60 truncate text-sm">
            {file.name}
          </span>
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
