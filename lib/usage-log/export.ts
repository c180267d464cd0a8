import { type ExportField, type ExportFormat, type RowWriter, rowWriter } from "@/lib/export/write-rows";
import { LOG_COLUMN_LIST, type LogColumn, type UsageLog } from "./columns";

/** Writes log rows with the columns that the user may see (B207). */
export function logWriter(format: ExportFormat, isAdmin: boolean): RowWriter<UsageLog> {
  return rowWriter(format, fieldsFor(isAdmin), ({ other }) => ({ other }));
}

function fieldsFor(isAdmin: boolean): ExportField<UsageLog>[] {
  const shown = LOG_COLUMN_LIST.filter(
    ({ isExportedToAdminsOnly, isForAdmins }) => isAdmin || !(isExportedToAdminsOnly || isForAdmins),
  );
  const fields = shown.flatMap(({ heading, field, kind }) =>
    heading ? [{ name: heading, read: (row: UsageLog) => toValue(kind, row[field]) }] : [],
  );
  return isAdmin ? [...fields, { name: "retry", read: (row) => triedChannels(row).join("->") }] : fields;
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
