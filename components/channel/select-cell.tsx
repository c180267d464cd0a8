"use client";

import { useTranslations } from "next-intl";
import { HeaderBox } from "@/components/data-table/header-box";
import { Checkbox } from "@/components/ui/checkbox";
import { useChannelSelection } from "./channel-selection";

type Row = { id: number; name: string };

/** The checkbox of a row. */
export function SelectCell({ channel: { id, name } }: { channel: Row }) {
  const t = useTranslations("channel");
  const { chosen, choose, allMatching } = useChannelSelection();
  return (
    <Checkbox
      aria-label={t("select", { name })}
      checked={allMatching !== null || chosen.has(id)}
      onChange={(event) => choose([{ id, name }], event.target.checked)}
    />
  );
}

/** The checkbox of a tag, for all its channels, also while it is collapsed. */
export function SelectTag({ tag, ids }: { tag: string; ids: number[] }) {
  const t = useTranslations("channel");
  const rows = ids.map((id) => ({ id, name: tag }));
  return <SelectRows label={t("selectTag", { tag, count: ids.length })} rows={rows} />;
}

/** The checkbox in the table's head, for every channel of the page. */
export function SelectPage({ rows }: { rows: Row[] }) {
  const t = useTranslations("channel");
  return <SelectRows label={t("choosePage", { count: rows.length })} rows={rows} />;
}

function SelectRows({ label, rows }: { label: string; rows: Row[] }) {
  const { chosen, choose, allMatching } = useChannelSelection();
  return (
    <HeaderBox
      label={label}
      rows={rows.length}
      chosen={allMatching === null ? rows.filter(({ id }) => chosen.has(id)).length : rows.length}
      onChange={(isOn) => choose(rows, isOn)}
    />
  );
}
