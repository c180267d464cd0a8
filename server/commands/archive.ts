import { createDatabase, type Sql } from "@/db/client";
import { assertSchemaCurrent } from "@/db/schema-version";
import { LOG_ARCHIVE_COLUMNS } from "@/lib/archive/columns";
import { describePlace, parseArchiveUrl } from "@/lib/archive/config";
import { type ListedArchive, listArchives } from "@/lib/archive/list-archives";
import type { Manifest } from "@/lib/archive/manifest";
import { openStorage } from "@/lib/archive/open-storage";
import { parseRange } from "@/lib/archive/range";
import { readMerged } from "@/lib/archive/read-rows";
import { ArchiveError, type ArchiveStorage } from "@/lib/archive/storage";
import { verifyArchive } from "@/lib/archive/verify-archive";
import { nowSeconds } from "@/lib/clock";
import { env } from "@/lib/env";
import { toCsvLine } from "@/lib/export/write-rows";
import { LogStoreAway } from "@/lib/log-store/clickhouse/client";
import { logStore } from "@/lib/log-store/store";
import { listNotedArchives } from "@/lib/usage-log/archive-queries";
import { clearedPart, RestoreRuns, restoreLogRows } from "@/lib/usage-log/restore-commands";
import { openCommandDatabase } from "../command-database";

export type ArchiveValues = { format?: string; days?: string; json?: boolean; unknown?: boolean };
type Range = { start: number; end: number };

const DAY = 86_400;
const RESTORED_DAYS = "7";
const ALL: Range = { start: 0, end: Number.MAX_SAFE_INTEGER };

const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** `weir archive`: bin/commands/archive.mjs has the words. Returns the exit code. */
export async function run(values: ArchiveValues, [action = "", text = ""]: string[]): Promise<number> {
  try {
    const { WEIR_ARCHIVE_URL: url } = env();
    if (url === undefined) throw new ArchiveError("WEIR_ARCHIVE_URL is not set.");
    const range = text === "" ? ALL : parseRange(text);
    const storage = await openStorage(parseArchiveUrl(url));
    try {
      return (await actions[action]?.(storage, range, values)) ?? 2;
    } finally {
      storage.close();
    }
  } catch (error) {
    const isExplained = [ArchiveError, LogStoreAway, RestoreRuns].some((kind) => error instanceof kind);
    if (!isExplained) throw error;
    console.error((error as Error).message);
    return 1;
  }
}

type Action = (storage: ArchiveStorage, range: Range, values: ArchiveValues) => Promise<number>;

const actions: Record<string, Action> = { list, verify, read, restore };

async function list(storage: ArchiveStorage, range: Range, { json }: ArchiveValues): Promise<number> {
  const found = await within(storage, range);
  for (const { name, manifest, error } of found) {
    if (json) say(JSON.stringify(manifest ?? { name, error }));
    else if (manifest) say(lineOf(manifest));
    else say(`UNREADABLE ${name}: ${error}`);
  }
  if (!json) {
    const known = found.flatMap(({ manifest }) => manifest ?? []);
    const sum = (read: (one: Manifest) => number) => known.reduce((total, one) => total + read(one), 0);
    say(`${known.length} archives, ${sum(({ rows }) => rows)} rows, ${sum(({ bytes }) => bytes)} bytes`);
  }
  return found.every(({ error }) => error === null) ? 0 : 1;
}

function lineOf({ from, until, rows, bytes, format, name }: Manifest): string {
  return `${iso(from)}  ${iso(until)}  ${String(rows).padStart(9)} rows  ${String(bytes).padStart(11)} bytes  ${format}  ${name}`;
}

const iso = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;

/** Also against what the database noted: an archive that is gone, and a manifest that is not the one that was written. */
async function verify(storage: ArchiveStorage, range: Range): Promise<number> {
  const noted = await withDatabase((sql) => listNotedArchives(sql, range));
  const found = await within(storage, range);
  const names = new Set(found.map(({ name }) => name));
  let wrong = 0;
  for (const { name } of found) {
    try {
      const manifest = await verifyArchive(storage, name, noted.get(name));
      say(`ok     ${lineOf(manifest)}${noted.has(name) ? "" : "  (the database does not know it)"}`);
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      wrong += 1;
      say(`WRONG  ${name}: ${error.message}`);
    }
  }
  for (const name of noted.keys()) {
    if (names.has(name)) continue;
    wrong += 1;
    say(`GONE   ${name}`);
  }
  say(`${found.length} archives read, ${wrong} problems`);
  return wrong === 0 ? 0 : 1;
}

async function read(storage: ArchiveStorage, range: Range, { format = "jsonl" }: ArchiveValues): Promise<number> {
  const manifests = readable(await within(storage, range));
  if (format === "csv") await write(toCsvLine(LOG_ARCHIVE_COLUMNS.map(({ name }) => name)));
  for await (const row of readMerged(storage, manifests, { from: range.start, until: range.end })) {
    const line =
      format === "csv"
        ? toCsvLine(LOG_ARCHIVE_COLUMNS.map(({ name }) => row[name] ?? null))
        : `${JSON.stringify({ ...row, other: JSON.parse(String(row.other ?? "{}")) })}\n`;
    await write(line);
  }
  return 0;
}

/** Waits for a slow reader, so that a month does not pile up in memory. */
async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await new Promise((drained) => process.stdout.once("drain", drained));
}

/** Before the first row is written, every archive is read as a whole. */
async function restore(storage: ArchiveStorage, range: Range, values: ArchiveValues): Promise<number> {
  const days = Number(values.days ?? RESTORED_DAYS);
  return withDatabase(async (sql) => {
    await assertSchemaCurrent(sql);
    const part = await clearedPart(sql, range);
    if (!part) {
      console.error("Nothing of that time was cleared: its rows are in the log.");
      return 1;
    }
    const manifests = await restorable(sql, storage, part, values);
    if (manifests.length === 0) throw new ArchiveError("There is no archive of that time.");
    const rows = readMerged(storage, manifests, { from: part.start, until: part.end });
    const keepUntil = nowSeconds() + days * DAY;
    const restored = await restoreLogRows(sql, part, { rows, keepUntil });
    say(`${restored} rows are back in the log. They are deleted again after ${iso(keepUntil)}.`);
    return 0;
  });
}

/**
 * The archives of a range, verified. No row was ever deleted because of one that the database does not know, so such are left
 * out: whoever can write to the place could put rows into the log with them.
 */
async function restorable(
  sql: Sql,
  storage: ArchiveStorage,
  range: Range,
  { unknown }: ArchiveValues,
): Promise<Manifest[]> {
  const noted = await listNotedArchives(sql, range);
  const found = await within(storage, range);
  const names = new Set(found.map(({ name }) => name));
  const place = describePlace(parseArchiveUrl(env().WEIR_ARCHIVE_URL ?? ""));
  for (const name of (await listNotedArchives(sql, range, place)).keys()) {
    if (!names.has(name)) throw new ArchiveError(`${name} is gone.`);
  }
  const known = found.filter(({ name }) => noted.has(name));
  const others = found.filter(({ name }) => !noted.has(name));
  if (!unknown) {
    for (const { name } of others)
      console.error(`Left out, because the database does not know it: ${name} (--unknown)`);
  }
  const taken = readable(unknown ? found : known);
  for (const { name } of taken) await verifyArchive(storage, name, noted.get(name));
  return taken;
}

async function within(storage: ArchiveStorage, { start, end }: Range): Promise<ListedArchive[]> {
  return (await listArchives(storage)).filter(
    ({ manifest }) => !manifest || (manifest.from < end && manifest.until > start),
  );
}

/** Leaving one out would look as if its rows had never been. */
function readable(found: readonly ListedArchive[]): Manifest[] {
  return found.map(({ manifest, error }) => {
    if (manifest === null) throw new ArchiveError(error);
    return manifest;
  });
}

async function withDatabase<Result>(work: (sql: Sql) => Promise<Result>): Promise<Result> {
  const { url, close } = await openCommandDatabase(env());
  const { sql, end } = createDatabase({ url, max: 2, applicationName: "weir-archive" });
  try {
    return await work(sql);
  } finally {
    await logStore()?.end();
    await end();
    await close();
  }
}
