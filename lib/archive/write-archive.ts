import { createHash, randomBytes } from "node:crypto";
import { type ArchiveRow, LOG_ARCHIVE_COLUMNS } from "./columns";
import type { ArchiveFormat } from "./config";
import { writeJsonLines } from "./jsonl";
import { encodeManifest, type Manifest } from "./manifest";
import { archiveName, dataName, manifestName } from "./names";
import type { ArchiveStorage } from "./storage";
import { RowTally } from "./tally";
import { verifyArchive } from "./verify-archive";

export type NewArchive = {
  /** Unix seconds; the rows are of [from, until), in the order of time and id. */
  from: number;
  until: number;
  format: ArchiveFormat;
  schema: string;
  rows: AsyncIterable<readonly ArchiveRow[]>;
};

/**
 * Stores rows as a file with a manifest, and reads both back. Only then it returns; whoever deletes the rows may rely on
 * it. What a failure leaves behind has no manifest, or one that is removed. Null = there are no rows, so that nothing was
 * stored. Throws ArchiveError.
 */
export async function writeArchive(
  storage: ArchiveStorage,
  { from, until, format, schema, rows }: NewArchive,
): Promise<{ manifest: Manifest; sha256: string } | null> {
  const batches = rows[Symbol.asyncIterator]();
  const first = await batches.next();
  if (first.done) return null;
  const name = archiveName(from, until, randomBytes(6).toString("hex"));
  const tally = new RowTally({ from, until });
  const hash = createHash("sha256");
  try {
    const write = format === "jsonl" ? writeJsonLines : (await import("./parquet")).writeParquet;
    const content = write(counted(startingWith(first.value, batches), tally), LOG_ARCHIVE_COLUMNS);
    const bytes = await storage.put(dataName(name, format), hashed(content, hash));
    const manifest: Manifest = {
      version: 1,
      name,
      table: "usage_logs",
      from,
      until,
      ...tally.sum(),
      format,
      bytes,
      sha256: hash.digest("hex"),
      columns: [...LOG_ARCHIVE_COLUMNS],
      schema,
      madeAt: new Date().toISOString(),
    };
    const encoded = encodeManifest(manifest);
    await storage.put(manifestName(name), once(encoded.bytes));
    await verifyArchive(storage, name, encoded.sha256);
    return { manifest, sha256: encoded.sha256 };
  } catch (error) {
    // The reason above is what counts; an unfinished file without a manifest does no harm.
    await storage.remove(manifestName(name)).catch(() => {});
    await storage.remove(dataName(name, format)).catch(() => {});
    throw error;
  }
}

async function* startingWith(
  first: readonly ArchiveRow[],
  rest: AsyncIterator<readonly ArchiveRow[]>,
): AsyncGenerator<readonly ArchiveRow[]> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

async function* counted(
  batches: AsyncIterable<readonly ArchiveRow[]>,
  tally: RowTally,
): AsyncGenerator<readonly ArchiveRow[]> {
  for await (const rows of batches) {
    tally.count(rows);
    yield rows;
  }
}

async function* hashed(
  bytes: AsyncIterable<Uint8Array>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Uint8Array> {
  for await (const part of bytes) {
    hash.update(part);
    yield part;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
