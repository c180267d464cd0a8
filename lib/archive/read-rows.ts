import type { ArchiveRow } from "./columns";
import { readJsonLines } from "./jsonl";
import type { Manifest } from "./manifest";
import { dataName } from "./names";
import type { ArchiveStorage } from "./storage";

/** The rows of one archive in the order of time and id. */
export async function* readRows(storage: ArchiveStorage, manifest: Manifest): AsyncGenerator<ArchiveRow[]> {
  const { name, format, bytes, columns } = manifest;
  const file = dataName(name, format);
  if (format === "jsonl") return yield* readJsonLines(storage.get(file), columns);
  const { readParquet } = await import("./parquet");
  yield* readParquet(
    {
      byteLength: bytes,
      async slice(start, end = bytes) {
        const part = await storage.readRange(file, start, Math.min(end, bytes));
        // A small Buffer is a part of a larger one.
        return part.buffer.slice(part.byteOffset, part.byteOffset + part.byteLength) as ArrayBuffer;
      },
    },
    columns,
  );
}

type Cursor = { rows: ArchiveRow[]; at: number; batches: AsyncGenerator<ArchiveRow[]> };

/**
 * The rows of several archives within [from, until), in the order of time and id, each once: a stretch of the log may
 * have been archived again because a row came late. Archives are opened when it is their turn.
 */
export async function* readMerged(
  storage: ArchiveStorage,
  manifests: readonly Manifest[],
  { from, until }: { from: number; until: number },
): AsyncGenerator<ArchiveRow> {
  const waiting = manifests.filter((one) => one.from < until && one.until > from).sort((a, b) => a.from - b.from);
  const open: Cursor[] = [];
  let last = "";
  try {
    for (;;) {
      const next = pickFirst(open);
      const [first] = waiting;
      if (first && (!next || timeOf(next) >= first.from)) {
        waiting.shift();
        const cursor = { rows: [], at: 0, batches: readRows(storage, first) };
        if (await refill(cursor)) open.push(cursor);
        continue;
      }
      if (!next) return;
      const row = next.rows[next.at] as ArchiveRow;
      next.at += 1;
      if (next.at >= next.rows.length && !(await refill(next))) open.splice(open.indexOf(next), 1);
      const key = `${row.created_at} ${row.id} ${row.request_id}`;
      if (key === last) continue;
      last = key;
      if (Number(row.created_at) >= from && Number(row.created_at) < until) yield row;
    }
  } finally {
    for (const { batches } of open) await batches.return(undefined);
  }
}

async function refill(cursor: Cursor): Promise<boolean> {
  const { done, value } = await cursor.batches.next();
  cursor.rows = done ? [] : value;
  cursor.at = 0;
  return !done;
}

const timeOf = ({ rows, at }: Cursor): number => Number(rows[at]?.created_at);

function pickFirst(open: readonly Cursor[]): Cursor | null {
  let first: Cursor | null = null;
  for (const cursor of open) if (!first || compare(cursor.rows[cursor.at], first.rows[first.at]) < 0) first = cursor;
  return first;
}

function compare(a: ArchiveRow | undefined, b: ArchiveRow | undefined): number {
  const byTime = Number(a?.created_at) - Number(b?.created_at);
  if (byTime !== 0) return byTime;
  return Number(a?.id) - Number(b?.id) || String(a?.request_id).localeCompare(String(b?.request_id));
}
