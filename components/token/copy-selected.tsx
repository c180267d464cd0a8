"use client";

import { useTranslations } from "next-intl";
import { CopySelectedButton } from "@/components/data-table/copy-selected-button";
import { revealTokens } from "./actions";
import { keyLines } from "./new-key-dialog";

/** Copies name and key of the selected tokens, one per line. */
export function CopySelected() {
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
