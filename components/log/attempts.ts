import { LOG_TYPE } from "@/lib/row-status";
import type { UsageLog } from "@/lib/usage-log/columns";
import { readAttempts } from "./bill";

export type AttemptBar = {
  channel: number;
  /** The model that was asked; undefined = the row's. */
  model: string | undefined;
  startMs: number;
  ms: number;
  outcome: string;
  status: number | null;
  message: string;
  /** Index of the channel key that was used; null for channels with one key. */
  key: number | null;
  /** In quota; null = unknown; undefined = not stored. */
  cost: number | null | undefined;
  /** How it was asked to go on with an answer that broke off; null = it was not. */
  continues: "repeat" | "prefill" | null;
};

export const OUTCOMES = [
  "ok",
  "cut",
  "gone",
  "refused",
  "limited",
  "timeout",
  "request",
  "usage",
  "failed",
  "hedged",
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/**
 * The attempts of a request in order, for administrators; [] for other users and for rows that are no requests. A row with a
 * single attempt has no list, so the row's own figures are used.
 */
export function readAttemptBars(row: UsageLog): AttemptBar[] {
  const info = row.other.admin_info;
  const listed = typeof info === "object" && info !== null && "attempts" in info ? info.attempts : null;
  if (Array.isArray(listed)) return listed.flatMap(toBar);
  const channel = Number(readAttempts(row.other).at(-1));
  if (!(channel > 0)) return [];
  const outcome =
    typeof row.other.outcome === "string" ? row.other.outcome : row.type === LOG_TYPE.error ? "failed" : "ok";
  const status = typeof row.other.status_code === "number" ? row.other.status_code : null;
  const message = row.type === LOG_TYPE.error ? row.content : "";
  return [
    {
      channel,
      model: undefined,
      startMs: 0,
      ms: row.useTimeMs,
      outcome,
      status,
      message,
      key: null,
      cost: undefined,
      continues: null,
    },
  ];
}

function toBar(item: unknown): AttemptBar[] {
  if (typeof item !== "object" || item === null) return [];
  const {
    channel,
    model,
    start_ms: startMs,
    ms,
    outcome,
    status,
    message,
    key,
    cost,
    continues,
  } = item as Record<string, unknown>;
  if (typeof channel !== "number" || typeof startMs !== "number" || typeof ms !== "number") return [];
  return [
    {
      channel,
      model: typeof model === "string" ? model : undefined,
      startMs,
      ms,
      outcome: typeof outcome === "string" ? outcome : "failed",
      status: typeof status === "number" ? status : null,
      message: typeof message === "string" ? message : "",
      key: typeof key === "number" ? key : null,
      cost: typeof cost === "number" || cost === null ? cost : undefined,
      continues: continues === "repeat" || continues === "prefill" ? continues : null,
    },
  ];
}

/** Position of a bar on a scale of `totalMs`, in percent. A minimum width keeps short attempts visible. */
export function placeOf(startMs: number, ms: number, totalMs: number): { left: number; width: number } {
  if (totalMs <= 0) return { left: 0, width: 100 };
  const width = Math.min(100, Math.max(0.8, (ms / totalMs) * 100));
  return { left: Math.min(100 - width, Math.max(0, (startMs / totalMs) * 100)), width };
}
