"use client";

import * as RadixDialog from "@radix-ui/react-dialog";
import { useTranslations } from "next-intl";
import { useState } from "react";
import { keptWhileComposing } from "@/components/ui/composing";
import { later, useLater } from "@/components/ui/later";
import { INPUT_CLASSES } from "./input-classes";
import type { PaletteProps } from "./palette";

const paletteCode = later(() => import("./palette").then(({ Palette }) => Palette));

type PaletteWindowProps = Omit<PaletteProps, "startTerm">;

/** The window of the command palette. */
export function PaletteWindow({ open, ...rest }: PaletteWindowProps & { open: boolean }) {
  const t = useTranslations("palette");
  useLater(paletteCode);
  return (
    <RadixDialog.Root open={open} onOpenChange={(next) => (next ? undefined : rest.onClose())}>
      <RadixDialog.Portal>
        <RadixDialog.Overlay className="fixed inset-0 z-50 bg-black/45" />
        <RadixDialog.Content
          onEscapeKeyDown={keptWhileComposing()}
          aria-describedby={undefined}
          className="fixed top-[12dvh] left-1/2 z-50 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-lg border bg-surface shadow-xl"
        >
          <RadixDialog.Title className="sr-only">{t("title")}</RadixDialog.Title>
          <PaletteContent {...rest} />
        </RadixDialog.Content>
      </RadixDialog.Portal>
    </RadixDialog.Root>
  );
}

/** Until the palette's code is here, this takes what is typed and hands it over. */
function PaletteContent(props: PaletteWindowProps) {
  const t = useTranslations("palette");
  const [term, setTerm] = useState("");
  const Palette = useLater(paletteCode, true);
  if (Palette) return <Palette {...props} startTerm={term} />;
  return (
    <>
      <input
        dir="auto"
        value={term}
        onChange={(event) => setTerm(event.target.value)}
        placeholder={t("placeholder")}
        aria-label={t("title")}
        className={INPUT_CLASSES}
      />
      <p role="status" className="px-3 py-8 text-center text-muted-foreground">
        {t("searching")}
      </p>
    </>
  );
}
