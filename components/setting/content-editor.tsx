"use client";

import { Eye, EyeOff } from "lucide-react";
import { useTranslations } from "next-intl";
import { useState } from "react";
import type { FieldControl } from "@/components/form/field";
import { Button } from "@/components/ui/button";
import { cn } from "@/components/ui/class-names";
import { Textarea } from "@/components/ui/textarea";
import type { OptionView } from "@/lib/option/types";
import { ContentPreview } from "./content-preview";

type ContentEditorProps = { view: OptionView; control: FieldControl; text: string; onText: (text: string) => void };

/** Edits HTML or Markdown for visitors, with a preview beside it on a wide screen. */
export function ContentEditor({ view, control, text, onText }: ContentEditorProps) {
  const t = useTranslations("setting");
  const [preview, setPreview] = useState(text !== "");
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className={cn("grid min-w-0 gap-3", preview && "lg:grid-cols-2")}>
        <Textarea
          {...control}
          value={text}
          rows={view.key === "Footer" ? 4 : 8}
          spellCheck={false}
          onChange={(event) => onText(event.target.value)}
          className="font-mono text-xs"
        />
        {preview ? <ContentPreview text={text} title={t("preview")} /> : null}
      </div>
      <Button className="self-start" aria-pressed={preview} onClick={() => setPreview(!preview)}>
        {preview ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
        {preview ? t("previewHide") : t("preview")}
      </Button>
    </div>
  );
}
