import { writeStored } from "@/components/ui/stored";

/** The data of GET /api/status. */
export type Status = Record<string, unknown>;

/** Status entries that are also stored under their own key in the browser's storage (console §1.1). */
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

/** Stores the status in the browser; an empty entry removes its key. */
export function storeStatus(status: Status): void {
  writeStored("status", JSON.stringify(status));
  for (const key of OWN_KEYS) writeStored(key, toText(status[key]));
}

function toText(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
