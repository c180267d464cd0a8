import type { Sql } from "@/db/client";
import type { ArchiveRow } from "@/lib/archive/columns";
import type { ArchiveFormat } from "@/lib/archive/config";
import type { Manifest } from "@/lib/archive/manifest";
import { ArchiveError, type ArchiveStorage } from "@/lib/archive/storage";
import { countArchive } from "@/lib/archive/totals";
import { verifyArchive } from "@/lib/archive/verify-archive";
import { writeArchive } from "@/lib/archive/write-archive";
import { logger } from "@/lib/logger";
import {
  dropArchivedMonth,
  hidePiece,
  type LogMonth,
  listLogMonths,
  listSameArchives,
  noteArchive,
  removeHidden,
  removePiece,
} from "./archive-commands";
import { type LogPiece, nextLogPiece, readLogRows, readSchemaVersion } from "./archive-queries";
import type { LogRange } from "./log-ranges";

/** Rows of an archive: they are deleted in one transaction. */
export const PIECE_ROWS = 500_000;
/** A row may come late while its piece is archived; then the piece is archived again. */
const TRIES = 3;

export type LogArchiving = {
  sql: Sql;
  storage: ArchiveStorage;
  /** The place's name, without credentials. */
  place: string;
  format: ArchiveFormat;
  stopping?: AbortSignal | undefined;
  pieceRows?: number;
};

export type ClearReport = { archives: number; rows: number };

/**
 * Archives the visible rows of a range, and deletes each piece or month once its archive was read back. Hidden rows are
 * deleted without. It can be cut off at any moment: what is archived then is not archived again, and no row is deleted
 * that no archive has.
 */
export async function removeArchived(archiving: LogArchiving, range: LogRange): Promise<ClearReport> {
  const report: ClearReport = { archives: 0, rows: 0 };
  const { sql } = archiving;
  const months = await listLogMonths(sql, range);
  for (const month of months) {
    if (archiving.stopping?.aborted) return report;
    await removeMonth(archiving, month, report);
  }
  await removeRows(archiving, range, report);
  if (!archiving.stopping?.aborted) await removeHidden(sql, range);
  return report;
}

/** The whole month is archived before it is dropped. Where that fails, its rows are deleted piece by piece. */
async function removeMonth(archiving: LogArchiving, month: LogMonth, report: ClearReport): Promise<void> {
  let [rows, idSum] = [0, 0n];
  for (let at = month.start; at < month.end; ) {
    const piece = await archiveNext(archiving, { start: at, end: month.end }, report);
    if (archiving.stopping?.aborted) return;
    if (!piece) break;
    rows += piece.rows;
    idSum += BigInt(piece.idSum);
    at = piece.end;
  }
  if (await dropArchivedMonth(archiving.sql, month, { rows, idSum: String(idSum) })) report.rows += rows;
  else logger.warn({ partition: month.name }, "a month of the usage log could not be dropped; its rows are deleted");
}

async function removeRows(archiving: LogArchiving, range: LogRange, report: ClearReport): Promise<void> {
  await eachPiece(archiving, range, report, (piece) => removePiece(archiving.sql, piece));
}

/** Archives the visible rows of a range, then empties and hides them: their request ids are still needed. */
export async function hideArchived(archiving: LogArchiving, range: LogRange): Promise<ClearReport> {
  const report: ClearReport = { archives: 0, rows: 0 };
  await eachPiece(archiving, range, report, (piece) => hidePiece(archiving.sql, piece));
  return report;
}

async function eachPiece(
  archiving: LogArchiving,
  range: LogRange,
  report: ClearReport,
  take: (piece: LogPiece) => Promise<boolean>,
): Promise<void> {
  let tries = 0;
  for (let at = range.start; at < range.end; ) {
    const piece = await archiveNext(archiving, { start: at, end: range.end }, report);
    if (!piece || archiving.stopping?.aborted) return;
    if (await take(piece)) report.rows += piece.rows;
    // It is left for the next turn.
    else if (++tries >= TRIES) tries = 0;
    else continue;
    at = piece.end;
  }
}

/** Makes sure that the next piece is archived as it is now; null = there are no more rows. */
async function archiveNext(archiving: LogArchiving, range: LogRange, report: ClearReport): Promise<LogPiece | null> {
  const { sql, pieceRows = PIECE_ROWS } = archiving;
  const piece = await nextLogPiece(sql, range, pieceRows);
  if (!piece || archiving.stopping?.aborted || (await isArchived(archiving, piece))) return piece;
  const manifest = await storeArchive(archiving, piece, readLogRows(sql, piece), report);
  if (!manifest) return null;
  // A row may have come while it was written. What counts is what the archive has.
  return { ...piece, rows: manifest.rows, idSum: manifest.idSum };
}

/** Writes an archive, reads it back and notes it in the database; null = there were no rows. */
export async function storeArchive(
  { sql, storage, place, format }: LogArchiving,
  { start, end }: LogRange,
  rows: AsyncIterable<readonly ArchiveRow[]>,
  report: ClearReport,
): Promise<Manifest | null> {
  const schema = await readSchemaVersion(sql);
  const archive = await writeArchive(storage, { from: start, until: end, format, schema, rows });
  if (!archive) return null;
  const { manifest, sha256 } = archive;
  await noteArchive(sql, place, manifest, sha256);
  countArchive(manifest.rows, manifest.bytes);
  report.archives += 1;
  logger.info(
    { archive: manifest.name, rows: manifest.rows, bytes: manifest.bytes },
    "a piece of the usage log is archived",
  );
  return manifest;
}

/** A turn that was cut off has left it, or the rows were restored out of it. It is read once more before it is relied on. */
async function isArchived({ sql, storage, place }: LogArchiving, piece: LogPiece): Promise<boolean> {
  for (const { name, sha256 } of await listSameArchives(sql, place, piece)) {
    try {
      await verifyArchive(storage, name, sha256);
      return true;
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      logger.warn({ archive: name, err: error }, "an archive is not as it was written; its rows are archived again");
    }
  }
  return false;
}
