import { LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import { withoutArchived } from "@/lib/archive/covered";
import type { Manifest } from "@/lib/archive/manifest";
import { ArchiveError } from "@/lib/archive/storage";
import { type RowSum, RowTally } from "@/lib/archive/tally";
import { verifyArchive } from "@/lib/archive/verify-archive";
import { forgetHours } from "@/lib/log-store/clear-commands";
import { BY_USER_TABLE } from "@/lib/log-store/clickhouse/by-user";
import {
  codeOf,
  countShards,
  firstOf,
  type LogServer,
  type LogStore,
  LogStoreAway,
  shardsOf,
} from "@/lib/log-store/clickhouse/client";
import { DAY_SECONDS, ownTable } from "@/lib/log-store/clickhouse/tables";
import { isMutating, type KnownPart, type Removal, removeStored } from "@/lib/log-store/remove-commands";
import { endOfPiece, hasStoredRows, listStoredDays, readStored, type Stretch } from "@/lib/log-store/stretch-queries";
import { noteRemovedArchives } from "./archive-commands";
import { listNotedArchives } from "./archive-queries";
import { type ClearReport, type LogArchiving, PIECE_ROWS, storeArchive } from "./clear-archived-commands";
import { gapsIn, type LogRange } from "./log-ranges";

/** Rows may come late while a day is archived. */
const TRIES = 3;
const KEY_COLUMNS = LOG_ARCHIVE_COLUMNS.filter(({ name }) => ["id", "created_at", "request_id"].includes(name));

type Archived = RowSum & { names: string[] };

/**
 * Archives the visible rows of ranges of the log store, and deletes or hides them once the archives were read back. A day that
 * lies within a range as a whole is dropped, with its hidden rows. Each shard by itself, so that one that is away does not stop the
 * others; then it throws in the end. It can be cut off at any moment, as removeArchived can. Throws ArchiveError.
 */
export async function removeStoredArchived(
  archiving: LogArchiving,
  store: LogStore,
  ranges: readonly LogRange[],
  how: Removal = "delete",
): Promise<ClearReport> {
  const report: ClearReport = { archives: 0, rows: 0 };
  try {
    const [shards, wanted] = await Promise.all([shardsOf(store), countShards(store)]);
    for (const [shard, servers] of shards) {
      await firstOf(servers, (server) => clearShard({ archiving, store, shard, server, how, report }, ranges));
    }
    if (shards.size < wanted) throw new LogStoreAway(`${wanted - shards.size} of ${wanted} shards cannot be reached`);
  } catch (error) {
    if (error instanceof LogStoreAway)
      throw new ArchiveError(`The log store is away, so its rows stay: ${error.message}.`, { cause: error });
    if (codeOf(error) === null) throw error;
    throw new ArchiveError(`The log store refuses, so its rows stay: ${(error as Error).message}`, { cause: error });
  }
  return report;
}

type Shard = {
  archiving: LogArchiving;
  store: LogStore;
  shard: number;
  server: LogServer;
  how: Removal;
  report: ClearReport;
};

async function clearShard(at: Shard, ranges: readonly LogRange[]): Promise<void> {
  const table = ownTable(at.store.config);
  const isBusy = await isMutating(at.server, [table, ownTable(at.store.config, BY_USER_TABLE)]);
  for (const day of await listStoredDays(at.server, table)) {
    for (const { start, end } of within(day, ranges)) {
      if (at.archiving.stopping?.aborted) return;
      const isDropped = at.how === "delete" && end - start === DAY_SECONDS;
      // Other rows are there until the server has removed them.
      if (isBusy && !isDropped) continue;
      const stretch = { server: at.server, table, start, end };
      // Hidden rows go with their day: each removal of a part rewrites what is left.
      if (await hasStoredRows(stretch, !isDropped)) await clearStretch(at, stretch);
    }
  }
  await forgetHours(at.server, at.store.config);
}

function within(day: number, ranges: readonly LogRange[]): LogRange[] {
  const whole = { start: day, end: day + DAY_SECONDS };
  return gapsIn(whole, gapsIn(whole, ranges));
}

async function clearStretch(at: Shard, stretch: Stretch): Promise<void> {
  const { archiving, report } = at;
  const { sql } = archiving;
  for (let tries = 0; tries < TRIES; tries++) {
    const parts: KnownPart[] = [];
    const names: string[] = [];
    for (let start = stretch.start; start < stretch.end; ) {
      const end = (await endOfPiece({ ...stretch, start }, archiving.pieceRows ?? PIECE_ROWS)) ?? stretch.end;
      const archived = await archivePiece(archiving, { ...stretch, start, end }, report);
      if (archiving.stopping?.aborted) return;
      parts.push({ start, end, rows: archived.rows, idSum: archived.idSum });
      names.push(...archived.names);
      start = end;
    }
    if (!(await removeStored({ ...at, sql }, stretch, parts))) continue;
    await noteRemovedArchives(sql, names);
    report.rows += parts.reduce((sum, { rows }) => sum + rows, 0);
    return;
  }
  // It is left for the next turn.
}

/** Makes sure that archives have all visible rows of a piece; resolves to what these come to. */
async function archivePiece(archiving: LogArchiving, piece: Stretch, report: ClearReport): Promise<Archived> {
  const { storage } = archiving;
  const range = { from: piece.start, until: piece.end };
  const known = await readableArchives(archiving, piece);
  const names = known.map(({ name }) => name);
  const tally = new RowTally(range);
  async function* counted() {
    for await (const rows of readStored(piece, known.length > 0 ? KEY_COLUMNS : LOG_ARCHIVE_COLUMNS)) {
      tally.count(rows);
      yield rows;
    }
  }
  if (known.length === 0) {
    const written = await storeArchive(archiving, piece, counted(), report);
    return { ...tally.sum(), names: written ? [written.name] : [] };
  }
  let missing = 0;
  for await (const rows of withoutArchived(storage, known, range, counted())) missing += rows.length;
  const seen = tally.sum();
  if (missing === 0) return { ...seen, names };
  const written = await storeArchive(
    archiving,
    piece,
    withoutArchived(storage, known, range, readStored(piece)),
    report,
  );
  // Rows that came after they were counted make the removal find others than `seen`.
  return { ...seen, names: written ? [...names, written.name] : names };
}

/** The archives of that time that are as they were written: of a turn that was cut off, or of rows that were put back. */
async function readableArchives({ sql, storage, place }: LogArchiving, piece: Stretch): Promise<Manifest[]> {
  const readable: Manifest[] = [];
  for (const [name, sha256] of await listNotedArchives(sql, piece, place)) {
    try {
      readable.push(await verifyArchive(storage, name, sha256));
    } catch (error) {
      // Its rows are archived again.
      if (!(error instanceof ArchiveError)) throw error;
    }
  }
  return readable;
}
