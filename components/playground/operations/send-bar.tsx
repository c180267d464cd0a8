"use client";

import { Play, Square } from "lucide-react";
import { useTranslations } from "next-intl";
import type { KeyboardEvent, ReactNode } from "react";
import { Button } from "@/components/ui/button";
import { isComposing } from "@/components/ui/composing";

type SendBarProps = {
  label: string;
  running: boolean;
  disabled: boolean;
  onSend: () => void;
  onStop: () => void;
  children?: ReactNode;
};

/** The button that sends a call, or stops it while it runs. */
export function SendBar({ label, running, disabled, onSend, onStop, children }: SendBarProps) {
  const t = useTranslations("playground");
  return (
    <div className="flex flex-wrap items-center gap-3">
      {running ? (
        <Button size="md" onClick={onStop}>
          <Square className="fill-current" aria-hidden />
          {t("stop")}
        </Button>
      ) : (
        <Button variant="primary" size="md" disabled={disabled} onClick={onSend}>
          <Play aria-hidden />
          {label}
        </Button>
      )}
      <span className="min-w-0 text-muted-foreground text-xs">{children}</span>
    </div>
  );
}

/** Ctrl+Enter or Cmd+Enter in a text of several lines. */
export function onSendKey(event: KeyboardEvent, send: () => void): void {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isComposing(event)) return;
  event.preventDefault();
  send();
}
