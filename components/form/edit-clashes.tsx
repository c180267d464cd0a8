"use client";

import { useTranslations } from "next-intl";
import { formatExactQuota } from "@/components/format/quota";
import { useQuotaDisplay } from "@/components/format/quota-display";
import { formatTime } from "@/components/format/time";
import { ClashList } from "./clash-list";
import type { Editing } from "./use-edit";

/** How the values of a field read: as they are, as money, or as a moment (0 and -1 = never). */
type ValueKind = "text" | "money" | "moment";

export const BUDGETS_AS_MONEY = { budgetDay: "money", budgetWeek: "money", budgetMonth: "money" } as const;

/** What the list of clashes needs of a form. */
export type ClashingEdit = Pick<Editing<object, object, object>, "clashes" | "input" | "settle">;

type EditClashesProps = {
  edit: ClashingEdit;
  labels: Readonly<Record<string, string>>;
  kinds?: Readonly<Partial<Record<string, ValueKind>>>;
  /** The words for a value of a choice; null = none of its own. */
  words?: (field: string, value: unknown) => string | null;
};

/** The fields of a form that somebody else has changed, with both values. */
export function EditClashes(props: EditClashesProps) {
  const { edit, labels, kinds = {}, words } = props;
  const show = useShownValue();
  const mine = edit.clashes.length === 0 ? new Map() : new Map(Object.entries(edit.input() ?? {}));
  const read = (field: string, value: unknown) => words?.(field, value) ?? show(value, kinds[field] ?? "text");
  return (
    <ClashList
      clashes={edit.clashes.map(({ field, stored }) => ({
        field,
        label: labels[field] ?? field,
        mine: read(field, mine.get(field)),
        theirs: read(field, stored),
      }))}
      onChoose={edit.settle}
    />
  );
}

/** A value of a command's input as people read it. */
export function useShownValue(): (value: unknown, kind?: ValueKind) => string {
  const t = useTranslations("common");
  const display = useQuotaDisplay();
  return (value, kind = "text") => {
    if (value === null || value === undefined) return "";
    if (typeof value === "boolean") return value ? t("clash.on") : t("clash.off");
    if (Array.isArray(value)) return value.join(", ");
    if (kind === "money" && typeof value === "number") return formatExactQuota(value, display);
    if (kind === "moment" && typeof value === "number") return value <= 0 ? t("never") : formatTime(value);
    return String(value);
  };
}
