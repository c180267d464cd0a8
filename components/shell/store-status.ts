import { writeStored } from "./stored";

/** The reply of GET /api/status. */
export type Status = Record<string, unknown>;

/** Entries of the status that also have a key of their own in the browser's storage (console §1.1). */
const OWN_KEYS = [
  "system_name",
  "logo",
  "footer_html",
  "quota_per_unit",
  "display_in_currency",
  "enable_drawing",
  "enable_task",
  "enable_data_export",
  "data_export_default_time",
  "default_collapse_sidebar",
  "mj_notify_enabled",
  "chats",
  "chat_link",
  "chat_link2",
  "docs_link",
] as const;

/** Stores what the server said about itself; an empty text takes its key away. */
export function storeStatus(status: Status): void {
  writeStored("status", JSON.stringify(status));
  for (const key of OWN_KEYS) writeStored(key, toText(status[key]));
}

function toText(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
