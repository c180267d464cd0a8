"use client";

import { useTranslations } from "next-intl";
import { CopySelectedButton } from "@/components/data-table/copy-selected-button";
import { revealRedemptions } from "./actions";

/** Copies name and code of the selected rows, one per line, separated by four spaces. */
export function CopySelectedCodes() {
  const t = useTranslations("redemption");
  return (
    <CopySelectedButton
      label={t("copySelected")}
      noneSelected={t("selectOne")}
      reveal={revealRedemptions}
      format={(found) => found.map(({ name, key }) => `${name}    ${key}`).join("\n")}
    />
  );
}
