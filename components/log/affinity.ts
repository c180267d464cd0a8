import type { UsageLog } from "@/lib/usage-log/columns";

/** What a row says of its conversation's affinity. Amounts in quota; null = nothing was saved, or it is not known. */
export type RowAffinity = {
  by: string;
  isHit: boolean;
  cachedTokens: number;
  /** What the cached tokens cost. */
  billed: number;
  saved: number | null;
  costSaved: number | null;
  /** In percent. */
  chance: number | null;
};

/** Null = the conversation had no warm cache. */
export function readAffinity({ other }: UsageLog): RowAffinity | null {
  const { by, hit, saved } = readObject(other.affinity);
  if (typeof by !== "string") return null;
  const { chance, cost_saved: costSaved } = readObject(readObject(other.admin_info).affinity);
  const lines = Array.isArray(other.lines) ? other.lines.map(readObject) : [];
  const share = readNumber(chance);
  return {
    by,
    isHit: hit === true,
    cachedTokens: readNumber(other.cache_tokens) ?? 0,
    billed: readNumber(lines.find(({ kind }) => kind === "cached")?.amount) ?? 0,
    saved: readNumber(saved),
    costSaved: readNumber(costSaved),
    chance: share === null ? null : Math.round(share * 100),
  };
}

function readObject(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function readNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
