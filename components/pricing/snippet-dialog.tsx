"use client";

import { useTranslations } from "next-intl";
import { CodeSnippets } from "@/components/token/code-snippets";
import type { RevealToken } from "@/components/token/token-key";
import { Dialog } from "@/components/ui/dialog";

/** The site's address, and the reader's tokens where they are signed in. */
export type SnippetOffer = {
  serverAddress: string;
  picker: { tokens: { id: number; name: string; keyHint: string }[]; revealToken: RevealToken } | null;
};

type SnippetDialogProps = { model: string | null; offer: SnippetOffer; onClose: () => void };

/** How to call a model. */
export function SnippetDialog({ model, offer, onClose }: SnippetDialogProps) {
  const t = useTranslations("pricing");
  return (
    <Dialog
      open={model !== null}
      onClose={onClose}
      title={t("codeTitle", { model: model ?? "" })}
      className="max-w-2xl"
    >
      {model === null ? null : (
        <CodeSnippets
          serverAddress={offer.serverAddress}
          model={model}
          {...(offer.picker ? { picker: offer.picker } : {})}
        />
      )}
    </Dialog>
  );
}
