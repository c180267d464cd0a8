import type { ServiceContext } from "@/lib/context";
import { type ExportFile, streamRows } from "@/lib/export/stream-rows";
import type { ExportWords } from "@/lib/export/words";
import { type ExportField, type ExportFormat, rowWriter, toMoment } from "@/lib/export/write-rows";
import { fromReplica } from "@/lib/replica/from-replica";
import type { StatementSearch } from "./schemas";
import { readWholeStatement } from "./statement-queries";
import type { StatementLine } from "./types";

const FIELDS: readonly ExportField<StatementLine>[] = [
  { name: "time", read: (line) => toMoment(line.at) },
  { name: "kind", named: "movement", read: (line) => line.kind },
  { name: "reference", read: (line) => line.reference },
  { name: "note", read: (line) => line.note },
  { name: "requests", read: (line) => line.count },
  { name: "quota", label: "movement", isQuota: true, read: (line) => line.amount },
  { name: "balance", label: "balance_after", isQuota: true, read: (line) => line.balance },
];

/** The current user's statement as a file; amounts in quota, and for people (`words`) in money. */
export async function exportStatement(
  ctx: ServiceContext,
  search: StatementSearch,
  format: ExportFormat,
  words: ExportWords | null = null,
): Promise<ExportFile> {
  const lines = await fromReplica(ctx, (there) => readWholeStatement(there, search));
  return streamRows(once(lines), rowWriter(format, FIELDS, words));
}

async function* once<Row>(rows: Row[]): AsyncGenerator<Row[]> {
  yield rows;
}
