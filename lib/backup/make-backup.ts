import { type BookedLongAgo, findBookedLongAgo } from "@/lib/billing/booked-long-ago";
import { readDatabaseId } from "@/lib/billing/journal-queries";
import type { SettlementRow } from "@/lib/billing/settlement-row";
import { seal, unseal } from "@/lib/crypto";
import { isLogStoreAway } from "@/lib/log-store/trouble";
import { writeArchiveFile } from "./archive-file";
import { encodeParts } from "./archive-parts";
import { BackupError } from "./backup-error";
import { FORMAT_VERSION, type Manifest, PART, type Part } from "./manifest";
import { type Pending, readPending } from "./read-pending";
import {
  connectForBackup,
  copyTable,
  findLoggedKeys,
  listPartitions,
  listSequences,
  listTables,
  readSealedSample,
  readVersions,
  readWithin,
  type SnapshotTable,
  withSnapshot,
} from "./snapshot-queries";

/** Rows of these tables are left out with `hasLogs: false`; partitions of the first have its name as their beginning. */
const LOG_TABLES = /^(usage_logs(_\w+)?|captures)$/;
const ROWS_BYTES = 262_144;

export type BackupOptions = {
  url: string;
  path: string;
  journalDirectory: string;
  /** Null = the file is not encrypted. */
  passphrase: string | null;
  /** The secret is in WEIR_SECRET. False = it is left out. */
  hasSecret: boolean;
  hasLogs: boolean;
};

export type BackupReport = { bytes: number; tables: number; rows: number; pending: number; foreign: string[] };

/**
 * Writes the database as it is now, with the charges that are not booked yet, while Weir runs. Memory is bounded. Throws
 * BackupError; then there is no file.
 */
export async function makeBackup(options: BackupOptions): Promise<BackupReport> {
  const copier = connectForBackup(options.url);
  try {
    const madeAt = new Date().toISOString();
    const pending = await readPending(options.journalDirectory, await readDatabaseId(copier));
    const longAgo = await findOld(pending);
    return await withSnapshot(options.url, async (tx, snapshot) => {
      const { tables, foreign } = await listTables(tx);
      const { postgres, migrations } = await readVersions(tx);
      const manifest: Manifest = {
        format: FORMAT_VERSION,
        madeAt,
        postgres,
        migrations,
        hasLogs: options.hasLogs,
        hasSecret: options.hasSecret,
        secretCheck: checkSecret(await readWithin(copier, snapshot, readSealedSample)),
        partitions: await listPartitions(tx),
      };
      const open = await readWithin(copier, snapshot, (sql) => dropBooked(sql, pending, longAgo));
      const wanted = tables.filter(({ name }) => options.hasLogs || !LOG_TABLES.test(name));
      const report = { bytes: 0, tables: wanted.length, rows: 0, pending: open.length, foreign };
      const parts = listParts({ manifest, open, tables: wanted, copy: (table) => copyTable(copier, snapshot, table) });
      async function* all(): AsyncGenerator<Part> {
        yield* parts;
        yield { kind: PART.sequences, value: await listSequences(tx) };
      }
      report.bytes = await writeArchiveFile(options.path, options.passphrase, encodeParts(all(), report));
      return report;
    });
  } finally {
    await copier.end({ timeout: 5 });
  }
}

/** A backup whose secret does not open its keys would be worthless. Null = the secret is not known here. */
function checkSecret(sample: string | null): string | null {
  if (!process.env.WEIR_SECRET) return null;
  try {
    if (sample !== null) unseal(sample);
  } catch (error) {
    throw new BackupError(
      "The secret (WEIR_SECRET, or the file `secret` of the data directory) does not open the provider keys in this database; no backup was made.",
      { cause: error },
    );
  }
  return seal("weir backup");
}

/**
 * Charges so old that only the log store knows whether they are booked. Asked before the snapshot, so that what is found
 * is in it.
 */
async function findOld({ settlements, notes }: Pending): Promise<BookedLongAgo> {
  try {
    return await findBookedLongAgo([...settlements, ...notes]);
  } catch (error) {
    if (!isLogStoreAway(error)) throw error;
    throw new BackupError(
      "The journal has charges of more than two days ago, and the log store (LOG_STORE_URL) cannot be asked whether they are booked already; no backup was made. Try again when it is back.",
      { cause: error },
    );
  }
}

/** The settlement of a running request has another time than its note, so that any row of the request means: booked. */
async function dropBooked(
  sql: Parameters<typeof findLoggedKeys>[0],
  { settlements, notes }: Pending,
  longAgo: BookedLongAgo,
): Promise<SettlementRow[]> {
  const keyed = settlements
    .filter((row) => !longAgo.hasSettlement(row))
    .map((row) => ({ row, requestId: row.requestId, createdAt: createdAtOf(row) }));
  const logged = await findLoggedKeys(sql, [
    ...keyed,
    ...notes.map((row) => ({ requestId: row.requestId, createdAt: 0 })),
  ]);
  return [
    ...keyed.filter(({ requestId, createdAt }) => !logged.has(`${requestId} ${createdAt}`)).map(({ row }) => row),
    ...notes.filter((row) => !logged.has(row.requestId) && !longAgo.hasRequest(row)),
  ];
}

const createdAtOf = (row: SettlementRow): number =>
  Number((JSON.parse(row.json) as { created_at: unknown }).created_at);

type Contents = {
  manifest: Manifest;
  open: SettlementRow[];
  tables: SnapshotTable[];
  copy: (table: SnapshotTable) => AsyncIterable<Buffer>;
};

async function* listParts({ manifest, open, tables, copy }: Contents): AsyncGenerator<Part> {
  yield { kind: PART.manifest, value: manifest };
  if (manifest.hasSecret) yield { kind: PART.secret, value: { secret: process.env.WEIR_SECRET ?? "" } };
  yield { kind: PART.pending, value: open.map(({ json }) => json) };
  for (const table of tables) {
    const { name, columns } = table;
    yield { kind: PART.table, value: { name, columns } };
    for await (const bytes of inLargerParts(copy(table))) yield { kind: PART.rows, bytes };
    yield { kind: PART.tableEnd, value: { name, rows: 0, sha256: "" } };
  }
}

/** The server sends each row by itself. */
async function* inLargerParts(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const part of source) {
    held.push(part);
    size += part.length;
    if (size < ROWS_BYTES) continue;
    yield Buffer.concat(held, size);
    [held, size] = [[], 0];
  }
  if (size > 0) yield Buffer.concat(held, size);
}
