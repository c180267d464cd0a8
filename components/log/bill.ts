import { COMPLETION_KINDS, PROMPT_KINDS } from "@/lib/billing/types";
import { METERS } from "@/lib/meters";

/** One line of a charge as recorded in a log row. Unit prices are quota per unit before the group ratio. */
export type BillLine = { kind: BillKind; variant?: string; quantity: number; unitPrice: number; amount: number };

/** `beyond`: the part of the total that exceeds the quota reserved for the request. */
export type Bill = { lines: BillLine[]; groupRatio: number; total: number; notes: BillNote[]; beyond: number };

/** How the charge came about, where it is not the usage that the upstream reported for a whole answer. */
export type BillNote = "estimated" | "usageRejected" | "endedByBalance" | "continued" | "continuedByModels";

const KINDS = [...PROMPT_KINDS, ...COMPLETION_KINDS, "call", ...METERS] as const;

export type BillKind = (typeof KINDS)[number];

type ChargedRow = { quota: number; other: Record<string, unknown> };

/** The itemised charge of a log row; null if nothing was charged or no lines were recorded. */
export function readBill(row: ChargedRow): Bill | null {
  const { lines, group_ratio: groupRatio, beyond_reservation: beyond } = row.other;
  if (!Array.isArray(lines)) return null;
  const read = lines.flatMap(readLine);
  if (read.length === 0) return null;
  return {
    lines: read,
    groupRatio: typeof groupRatio === "number" ? groupRatio : 1,
    total: row.quota,
    notes: readNotes(row.other),
    beyond: typeof beyond === "number" ? beyond : 0,
  };
}

function readNotes(other: ChargedRow["other"]): BillNote[] {
  const { estimated, usage_rejected: rejected, ended_by_balance: ended, continued, parts } = other;
  const notes: BillNote[] = [];
  if (rejected) notes.push("usageRejected");
  else if (estimated === true && continued !== true) notes.push("estimated");
  if (continued === true) notes.push(Array.isArray(parts) ? "continuedByModels" : "continued");
  if (ended === true) notes.push("endedByBalance");
  return notes;
}

function readLine(line: unknown): BillLine[] {
  if (typeof line !== "object" || line === null) return [];
  const { kind, variant, quantity, unitPrice, amount } = line as Record<string, unknown>;
  const known = KINDS.find((candidate) => candidate === kind);
  if (!known || typeof quantity !== "number" || typeof unitPrice !== "number" || typeof amount !== "number") return [];
  return [{ kind: known, ...(typeof variant === "string" ? { variant } : {}), quantity, unitPrice, amount }];
}

/** What was used and has no price, as keys of prices; it is not in the charge. */
export function readUnpriced({ unpriced }: ChargedRow["other"]): string[] {
  return Array.isArray(unpriced) ? unpriced.filter((key) => typeof key === "string") : [];
}

/** The ids of the attempted channels in order; only administrators receive them. */
export function readAttempts(other: Record<string, unknown>): string[] {
  const info = other.admin_info;
  if (typeof info !== "object" || info === null) return [];
  const { use_channel: channels } = info as Record<string, unknown>;
  return Array.isArray(channels) ? channels.map(String) : [];
}

/** The model requested from the upstream, if it differs from the one the client requested. */
export function readActualModel(other: Record<string, unknown>): string | null {
  const { is_model_mapped: mapped, upstream_model_name: name } = other;
  return mapped === true && typeof name === "string" ? name : null;
}
