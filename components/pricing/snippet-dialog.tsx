"use client";

import { useTranslations } from "next-intl";
import { Modal } from "@/components/overlay/modal";
import { CodeSnippets } from "@/components/token/code-snippets";

/** The site's address and, if signed in, the user's tokens. */
export type SnippetOffer = {
  serverAddress: string;
  tokens: { id: number; name: string; keyHint: string }[] | null;
};

type SnippetDialogProps = { model: string | null; offer: SnippetOffer; onClose: () => void };

export function SnippetDialog({ model, offer, onClose }: SnippetDialogProps) {
  const t = useTranslations("pricing");
  return (
    <Modal open={model !== null} onClose={onClose} title={t("codeTitle", { model: model ?? "" })} className="max-w-2xl">
      {model === null ? null : (
        <CodeSnippets
          serverAddress={offer.serverAddress}
          model={model}
          {...(offer.tokens ? { tokens: offer.tokens } : {})}
        />
      )}
    </Modal>
  );
}
