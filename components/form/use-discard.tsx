"use client";

import { useTranslations } from "next-intl";
import { type ReactNode, useState } from "react";
import { ConfirmDialog } from "./confirm-dialog";
import { useHoldPage } from "./use-hold-page";

/**
 * Protects unsaved input: with unsaved changes, `close`, browser back/forward and leaving the page ask for confirmation. The
 * caller must render `question`.
 */
export function useDiscard(dirty: boolean, onClose: () => void): { close: () => void; question: ReactNode } {
  const t = useTranslations("common");
  const [asked, setAsked] = useState(false);
  useHoldPage(dirty, () => setAsked(true));
  const onConfirm = () => {
    setAsked(false);
    onClose();
  };
  const question = (
    <ConfirmDialog
      open={asked}
      onClose={() => setAsked(false)}
      onConfirm={onConfirm}
      pending={false}
      title={t("discardTitle")}
      text={t("discardText")}
      confirm={t("discard")}
    />
  );
  return { close: () => (dirty ? setAsked(true) : onClose()), question };
}
