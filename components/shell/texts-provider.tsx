"use client";

import { type Messages, NextIntlClientProvider, useLocale, useMessages } from "next-intl";
import { type ReactNode, useMemo } from "react";
import { mergeTexts, type TextTree } from "./text-tree";

/** Adds texts to those of the providers above. next-intl's own provider would replace them. */
export function TextsProvider({ texts, children }: { texts: TextTree; children: ReactNode }) {
  const locale = useLocale();
  const above = useMessages();
  const messages = useMemo(() => mergeTexts(above, texts), [above, texts]);
  return (
    <NextIntlClientProvider locale={locale} messages={messages as Partial<Messages>}>
      {children}
    </NextIntlClientProvider>
  );
}
