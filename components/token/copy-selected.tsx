"use client";

import { useTranslations } from "next-intl";
import { CopySelectedButton } from "@/components/data-table/copy-selected-button";
import type { revealTokens } from "./actions";
import { keyLines } from "./new-key-dialog";

type CopySelectedProps = { revealTokens: typeof revealTokens };

/** Copies name and key of the selected tokens, one per line. */
export function CopySelected({ revealTokens }: CopySelectedProps) {
  const t = useTranslations("token");
  return (
    <CopySelectedButton
      label={t("copySelected")}
      noneSelected={t("selectOne")}
      reveal={revealTokens}
      format={keyLines}
    />
  );
}
