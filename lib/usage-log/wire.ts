import { LOG_COLUMN_LIST, type LogColumn, type UsageLog } from "./columns";

/** A log row in the /api format (contract §2.5): use_time in whole seconds, `other` as JSON text. */
export function toWireLog(log: UsageLog): Record<string, unknown> {
  return Object.fromEntries(
    LOG_COLUMN_LIST.flatMap(({ wire, field, kind }) => (wire ? [[wire, toWireValue(kind, log[field])]] : [])),
  );
}

function toWireValue(kind: LogColumn["kind"], value: UsageLog[keyof UsageLog]): unknown {
  if (kind === "json") return JSON.stringify(value);
  return kind === "milliseconds" && typeof value === "number" ? Math.round(value / 1000) : value;
}
