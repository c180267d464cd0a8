import type { ExportWords } from "@/lib/export/words";
import { type ExportField, type ExportFormat, type RowWriter, rowWriter } from "@/lib/export/write-rows";
import { LOG_COLUMN_LIST, type LogColumn, type UsageLog } from "./columns";
import { creditOf, readEvent } from "./event-values";

/** Writes log rows with the columns that the user may see (B207). A file for people (`words`) tells cost from credit. */
export function logWriter(format: ExportFormat, isAdmin: boolean, words: ExportWords | null): RowWriter<UsageLog> {
  const forPeople = format === "csv" ? words : null;
  const fields = fieldsFor(isAdmin).flatMap((field) => (forPeople ? peopleFields(field, forPeople) : [field]));
  return rowWriter(format, fields, words, ({ other }) => ({ other }));
}

function fieldsFor(isAdmin: boolean): ExportField<UsageLog>[] {
  const shown = LOG_COLUMN_LIST.filter(
    ({ isExportedToAdminsOnly, isForAdmins }) => isAdmin || !(isExportedToAdminsOnly || isForAdmins),
  );
  const fields = shown.flatMap(({ heading, field, kind }): ExportField<UsageLog>[] =>
    heading
      ? [
          {
            name: heading,
            read: (row) => toValue(kind, row[field]),
            ...(kind === "quota" ? { isQuota: true } : {}),
            ...(kind === "type" ? { named: "logType" } : {}),
          },
        ]
      : [],
  );
  return isAdmin ? [...fields, { name: "retry", read: (row) => triedChannels(row).join("->") }] : fields;
}

/** A top-up is no cost: it has a column of its own. The text of an event is in the language of the file. */
function peopleFields(field: ExportField<UsageLog>, words: ExportWords): ExportField<UsageLog>[] {
  if (field.name === "content") return [{ name: "content", read: (row) => textOf(row, words) }];
  if (field.name !== "quota") return [field];
  return [
    { ...field, label: "charge", read: (row) => (creditOf(row) === null ? row.quota : null) },
    { name: "credit", isQuota: true, read: creditOf },
  ];
}

function textOf({ other, content }: UsageLog, words: ExportWords): string {
  const read = readEvent(other, words.display);
  return (read && words.event(read.event, read.values)) ?? content;
}

function toValue(kind: LogColumn["kind"], value: UsageLog[keyof UsageLog]): string | number | boolean | null {
  if (value === undefined) return null;
  if (kind === "moment") return new Date(Number(value) * 1000).toISOString();
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

function triedChannels({ other }: UsageLog): string[] {
  const info = other.admin_info;
  if (typeof info !== "object" || info === null || !("use_channel" in info)) return [];
  return Array.isArray(info.use_channel) ? info.use_channel.map(String) : [];
}
