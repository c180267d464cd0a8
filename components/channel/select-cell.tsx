"use client";

import { useTranslations } from "next-intl";
import { Checkbox } from "@/components/ui/checkbox";
import { useChannelSelection } from "./channel-selection";

type Row = { id: number; name: string };

/** The checkbox of a row in batch mode. */
export function SelectCell({ channel: { id, name } }: { channel: Row }) {
  const t = useTranslations("channel");
  const { isOn, chosen, choose, allMatching } = useChannelSelection();
  if (!isOn) return null;
  return (
    <Checkbox
      aria-label={t("select", { name })}
      checked={allMatching !== null || chosen.has(id)}
      onChange={(event) => choose([{ id, name }], event.target.checked)}
    />
  );
}
