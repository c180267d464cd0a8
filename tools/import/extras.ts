import type { Step } from "./step";
import type { Source } from "./types";

/** What of a source has no place here, or was not asked for. */
export type Extras = {
  /** Rows by table. */
  tables: Record<string, number>;
  /** Tables that an import reads and that are not there. */
  missing: string[];
  /** Columns that this version of Weir does not know, by table. */
  columns: Record<string, string[]>;
};

/** Tables that say nothing that is not said elsewhere: how channels serve models, and what was summed from the log. */
const DERIVED = new Set(["abilities", "options", "quota_data", "setups", "sqlite_sequence"]);

export async function describeExtras(source: Source, steps: readonly Step[], withLogs: boolean): Promise<Extras> {
  const extras: Extras = { tables: {}, missing: [], columns: {} };
  const read = steps.filter(({ kind }) => withLogs || kind !== "logs");
  for (const { table, columns, ignored } of read) {
    const present = source.tables.get(table);
    if (!present) extras.missing.push(table);
    const unknown = [...(present ?? [])].filter((column) => !columns.includes(column) && !ignored.includes(column));
    if (unknown.length > 0) extras.columns[table] = unknown.sort();
  }
  for (const table of [...source.tables.keys()].sort()) {
    if (DERIVED.has(table) || read.some((step) => step.table === table)) continue;
    const count = await source.count(table);
    if (count > 0) extras.tables[table] = count;
  }
  return extras;
}
