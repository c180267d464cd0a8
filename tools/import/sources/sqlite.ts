import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import sqlite from "node-sqlite3-wasm";
import type { Source, SourceRow } from "../types";
import { pageQuery, tablesOf } from "./page-query";

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
/** The file format of a database with a write-ahead log, in the header's 18th byte. */
const WAL_FORMAT = 2;

/** Opens an SQLite file. One with a write-ahead log, or that a program has not finished writing, is refused. */
export async function openSqlite(file: string): Promise<Source> {
  refuseUnfinished(file);
  const written = statSync(file).mtimeMs;
  // The library locks a file by a folder beside it, which stays there after a kill, and needs a folder that it may write to.
  const place = mkdtempSync(join(tmpdir(), "weir-import-"));
  const link = join(place, "source.db");
  symlinkSync(resolve(file), link);
  const database = new sqlite.Database(link, { readOnly: true });
  const close = (): void => {
    database.close();
    rmSync(place, { recursive: true, force: true });
  };
  // That lock does not keep others from writing.
  const read = (query: string): SourceRow[] => {
    if (statSync(file).mtimeMs !== written) {
      throw new Error(`${file} is being written. Stop the program that does so, or read a copy; then run this again.`);
    }
    return select(database, query);
  };
  try {
    const tables = tablesOf(
      read(
        'select m.name as "table", c.name as "column" from sqlite_master m, pragma_table_info(m.name) c where m.type = \'table\'',
      ).map((row) => ({ table: String(row.table), column: String(row.column) })),
    );
    return {
      tables,
      page: async (table, wanted, page) => read(pageQuery(table, tables.get(table), wanted, quote, page)),
      all: async (table, wanted) => read(pageQuery(table, tables.get(table), wanted, quote)),
      count: async (table) => Number(read(`select count(*) as n from ${quote(table)}`)[0]?.n ?? 0),
      close: async () => close(),
    };
  } catch (error) {
    close();
    throw new Error(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function select(database: InstanceType<typeof sqlite.Database>, query: string): SourceRow[] {
  return database.all(query) as SourceRow[];
}

function refuseUnfinished(file: string): void {
  if (!existsSync(file)) throw new Error(`${file} does not exist`);
  const header = Buffer.alloc(20);
  const handle = openSync(file, "r");
  readSync(handle, header, 0, header.length, 0);
  closeSync(handle);
  if (header.toString("latin1", 0, 15) !== "SQLite format 3") throw new Error(`${file} is no SQLite database`);
  const side = (suffix: string) => existsSync(file + suffix) && statSync(file + suffix).size > 0;
  if (header[18] === WAL_FORMAT || side("-wal")) {
    throw new Error(
      `${file} has a write-ahead log, and part of the data may be in ${file}-wal. Stop the program that writes it, then: sqlite3 ${file} "PRAGMA journal_mode=DELETE"`,
    );
  }
  if (side("-journal")) {
    throw new Error(
      `${file} is being written, or its program was killed: there is ${file}-journal. Stop the program, then: sqlite3 ${file} "PRAGMA integrity_check"`,
    );
  }
}
