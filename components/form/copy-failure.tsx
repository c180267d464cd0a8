"use client";

import { useTranslations } from "next-intl";
import { useId, useSyncExternalStore } from "react";
import { Modal } from "@/components/overlay/modal";
import { Button } from "@/components/ui/button";
import { Label } from "@/components/ui/label";
import { Textarea } from "@/components/ui/textarea";

let text: string | null = null;
const listeners = new Set<() => void>();

function setText(next: string | null): void {
  text = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Opens the dialog with a text that the browser refused to copy. */
export function showCopyFailure(refused: string): void {
  setText(refused);
}

/** Mounted once per page and shared by all copy buttons. */
export function CopyFailureDialog() {
  const t = useTranslations("common");
  const id = useId();
  const shown = useSyncExternalStore(
    subscribe,
    () => text,
    () => null,
  );
  const onClose = () => setText(null);
  const footer = (
    <Button size="md" variant="primary" onClick={onClose}>
      {t("close")}
    </Button>
  );
  return (
    <Modal open={shown !== null} onClose={onClose} title={t("copyFailed")} footer={footer}>
      <Label htmlFor={id} className="sr-only">
        {t("copyText")}
      </Label>
      <Textarea
        id={id}
        readOnly
        autoFocus
        rows={3}
        value={shown ?? ""}
        onFocus={(event) => event.currentTarget.select()}
        className="break-all font-mono"
      />
    </Modal>
  );
}
