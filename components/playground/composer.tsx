"use client";

import { ArrowUp, Square } from "lucide-react";
import { useTranslations } from "next-intl";
import { type KeyboardEvent, useState } from "react";
import { Button } from "@/components/ui/button";
import { isComposing } from "@/components/ui/composing";

type ComposerProps = {
  /** The question that it begins with; default none. */
  start?: string;
  answering: boolean;
  disabled: boolean;
  onSend: (text: string) => void;
  onStop: () => void;
};

/** The question input. Enter sends, Shift+Enter adds a line; Enter during IME composition is ignored. */
export function Composer({ start = "", answering, disabled, onSend, onStop }: ComposerProps) {
  const t = useTranslations("playground");
  const [draft, setDraft] = useState(start);
  const canSend = draft.trim() !== "" && !answering && !disabled;
  const send = () => {
    if (!canSend) return;
    onSend(draft);
    setDraft("");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || isComposing(event)) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="flex items-end gap-2 rounded-lg border border-input bg-surface p-2 focus-within:outline-2 focus-within:outline-ring">
      <textarea
        dir="auto"
        aria-label={t("question")}
        placeholder={t("questionPlaceholder")}
        value={draft}
        rows={Math.min(8, Math.max(1, draft.split("\n").length))}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={onKeyDown}
        className="max-h-60 min-h-9 min-w-0 flex-1 resize-none bg-transparent px-1.5 py-2 leading-relaxed outline-none placeholder:text-muted-foreground"
      />
      {answering ? (
        <Button size="iconMd" aria-label={t("stop")} onClick={onStop}>
          <Square className="fill-current" />
        </Button>
      ) : (
        <Button variant="primary" size="iconMd" aria-label={t("send")} disabled={!canSend} onClick={send}>
          <ArrowUp />
        </Button>
      )}
    </div>
  );
}
