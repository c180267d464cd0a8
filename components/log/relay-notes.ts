import type { UsageLog } from "@/lib/usage-log/columns";

/** What the relay noted about an answer. */
export type RelayNotes = {
  /** Events of the upstream that could not be read and were left out; 0 = none. */
  badEvents: number;
  /** The upstream was read on after the caller had left; null = it was not. `tokens`: completion tokens in all. */
  drained: { ms: number; isWhole: boolean; tokens: number } | null;
};

/** Only administrators read these: ordinary users get rows without `admin_info`. */
export function readRelayNotes({ other }: UsageLog): RelayNotes {
  const { admin_info: info, bad_events: badEvents, drained } = other;
  if (typeof info !== "object" || info === null) return { badEvents: 0, drained: null };
  return { badEvents: typeof badEvents === "number" ? badEvents : 0, drained: readDrained(drained) };
}

function readDrained(value: unknown): RelayNotes["drained"] {
  if (typeof value !== "object" || value === null) return null;
  const { ms, whole, completion_tokens: tokens } = value as Record<string, unknown>;
  if (typeof ms !== "number" || typeof whole !== "boolean" || typeof tokens !== "number") return null;
  return { ms, isWhole: whole, tokens };
}
