import { LOG_COLUMN_LIST, type LogColumn, type UsageLog } from "./columns";

/**
 * A log row in the /api format (contract §2.5): use_time in whole seconds, `other` as JSON text. "own" leaves out what
 * only administrators see, whoever asks, so that a route for everybody has one shape.
 */
export function toWireLog(log: UsageLog, scope: "all" | "own"): Record<string, unknown> {
  return Object.fromEntries(
    LOG_COLUMN_LIST.flatMap(({ wire, field, kind, isForAdmins }) =>
      wire && !(isForAdmins && scope === "own") ? [[wire, toWireValue(kind, log[field] ?? null)]] : [],
    ),
  );
}

function toWireValue(kind: LogColumn["kind"], value: UsageLog[keyof UsageLog]): unknown {
  if (kind === "json") return JSON.stringify(value);
  return kind === "milliseconds" && typeof value === "number" ? Math.round(value / 1000) : value;
}
