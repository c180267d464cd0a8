import { CHANNEL_STATUS } from "@/lib/row-status";
import type { BulkChange } from "./bulk-schemas";

/** The fields of a channel that a bulk change may touch. */
export type BulkRow = {
  id: number;
  name: string;
  status: number;
  tag: string | null;
  group: string;
  models: string;
  priority: number;
  weight: number;
};

export type BulkField = "status" | "tag" | "group" | "models" | "priority" | "weight";
export type BulkValue = string | number | null;

/** The result for one row: a change, no change, or a refusal with its reason (a key under "errors"). */
export type BulkStep =
  | { kind: "change"; before: BulkValue; after: BulkValue }
  | { kind: "same" }
  | { kind: "refused"; reason: "bulkNoModelLeft" | "bulkNoGroupLeft" };

type FieldChange = Exclude<BulkChange, { kind: "delete" }>;

const FIELDS = {
  enable: "status",
  disable: "status",
  tag: "tag",
  groups: "group",
  models: "models",
  priority: "priority",
  weight: "weight",
} as const satisfies Record<FieldChange["kind"], BulkField>;

export function fieldOf(change: FieldChange): BulkField {
  return FIELDS[change.kind];
}

/** What the change does to one row. Pure. */
export function planStep(row: BulkRow, change: FieldChange): BulkStep {
  const before = row[fieldOf(change)];
  const after = valueAfter(row, change);
  if (after === "")
    return { kind: "refused", reason: change.kind === "models" ? "bulkNoModelLeft" : "bulkNoGroupLeft" };
  return after === before ? { kind: "same" } : { kind: "change", before, after };
}

function valueAfter(row: BulkRow, change: FieldChange): BulkValue {
  switch (change.kind) {
    case "enable":
      return CHANNEL_STATUS.enabled;
    case "disable":
      return CHANNEL_STATUS.disabled;
    case "tag":
      return change.tag;
    case "groups":
      return editList(row.group, change);
    case "models":
      return editList(row.models, change);
    case "priority":
    case "weight":
      return change.value;
  }
}

/** Adds names to a comma list, removes them, or replaces the list; "" when nothing is left. */
function editList(
  list: string,
  { how, names }: { how: "add" | "remove" | "replace"; names: readonly string[] },
): string {
  const present = list.split(",").filter((name) => name !== "");
  if (how === "replace") return [...new Set(names)].join(",");
  if (how === "add") return [...new Set([...present, ...names])].join(",");
  return present.filter((name) => !names.includes(name)).join(",");
}
