import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { FolderStorage } from "@/lib/archive/folder-storage";
import { listArchives } from "@/lib/archive/list-archives";
import { readMerged, readRows } from "@/lib/archive/read-rows";
import { commandOn, createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { LOG_TABLE } from "@/lib/log-store/clickhouse/tables";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { startOwnClickHouse } from "@/tests/operations/own-clickhouse";
import { fillDay, storeRowOf } from "./log-store-rows";

// Some days of the usage log are archived and deleted: time, memory of the process, size. In PostgreSQL most of them are a month
// that is dropped, the others are deleted in pieces. With --kills, the process is killed at every stage again and again, and
// started anew. After each kill every row must be in the log or in an archive that the database knows, and in the end in the
// archives once. docs/operations/archives.md says what was measured.

const { values } = parseArgs({
  options: {
    rows: { type: "string", default: "10000000" },
    days: { type: "string", default: "30" },
    store: { type: "string", default: "postgres" },
    format: { type: "string", default: "jsonl" },
    kills: { type: "string", default: "0" },
    "piece-rows": { type: "string", default: "" },
    directory: { type: "string", default: tmpdir() },
  },
});
const DAYS = Number(values.days);
const DAY = 86_400;
/** Two thirds are of April, which has nothing else, so that it is dropped as a whole. Of May there is a part. */
const start = Math.floor(Date.UTC(2026, 3, 31 - Math.ceil((DAYS * 2) / 3)) / 1_000);
const perDay = Math.floor(Number(values.rows) / DAYS);
/** "delete" is the transaction or the statement that removes rows. */
const STAGES = ["data", "manifest", "stored", "verify", "noted", "delete"];

const home = mkdtempSync(join(values.directory, "weir-archives-"));
const folder = join(home, "archives");
mkdirSync(folder);
// As root, PostgreSQL runs under another account that must be able to reach its directory.
chmodSync(home, 0o711);
const postgres = await startEmbeddedPostgres({ directory: join(home, "postgres") });
await migrateDatabase(postgres.url);
const { sql, end } = createDatabase({ url: postgres.url, max: 4, applicationName: "weir-archives-bench" });
const server = values.store === "clickhouse" ? await startOwnClickHouse(join(home, "store")) : null;
const store = server ? createLogStore(parseLogStoreUrl(server.url)) : null;
try {
  await (store ? fillStore(store) : fillPostgres());
  const before = await sumOf();
  console.log(`${before.rows} rows in ${values.store}`);
  await sql`insert into job_positions (job, position) values ('logs-cleared', ${start + DAYS * DAY})`;
  const killed = await killAtEveryStage(Number(values.kills));
  console.log(JSON.stringify(await turn(null)));
  const archived = await sumOfArchives();
  const left = await sumOf();
  const { lost, twice } = await missingRows();
  const files = filesIn(folder);
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0);
  const partial = files.filter((path) => path.endsWith(".partial")).length;
  console.log(
    JSON.stringify({ before, archived, left, killed, lost, twice, partial, bytes, bytesARow: bytes / before.rows }),
  );
  if (left.rows > 0 || lost > 0 || archived.rows !== before.rows || archived.sum !== before.sum) process.exitCode = 1;
} finally {
  await store?.end();
  await server?.stop();
  await end();
  await postgres.stop();
  rmSync(home, { recursive: true, force: true });
}

async function fillPostgres(): Promise<void> {
  await sql`select weir_ensure_log_partitions(${start}::bigint, ${start + DAYS * DAY - 1}::bigint)`;
  for (let day = 0; day < DAYS; day++) {
    await sql`
      insert into usage_logs (request_id, created_at, user_id, username, token_id, token_name, channel_id, model_name, "group",
        quota, cost, prompt_tokens, completion_tokens, use_time_ms, client_ip, other)
      select gen_random_uuid()::text, ${start + day * DAY}::bigint + n * ${DAY} / ${perDay}, n % 5000, 'user' || n % 5000, n % 9000,
        'main', n % 40, 'gpt-4o', 'default', n % 9999, n % 7777, n % 4000, n % 900, n % 60000, '203.0.113.7',
        jsonb_build_object('group_ratio', 1, 'model_ratio', 1.25, 'admin_info', jsonb_build_object('use_channel', array[n % 40]))
      from generate_series(0::bigint, ${perDay - 1}::bigint) as n`;
  }
}

async function fillStore(into: LogStore): Promise<void> {
  await migrateLogStore(into);
  const [own] = into.servers;
  if (!own) throw new Error("there is no server");
  const scale = { rows: perDay * DAYS, days: DAYS, users: 5_000, channels: 40 };
  for (let day = 0; day < DAYS; day++) {
    const terms = { start: start + day * DAY, first: day * perDay, rows: perDay };
    await commandOn(own, fillDay(LOG_TABLE, scale, terms), { timeoutMs: 600_000 });
  }
}

/** `sum`: of ids. */
type Sum = { rows: number; sum: string };

async function sumOf(): Promise<Sum> {
  if (store) {
    const [row] = await store.query<Sum>(
      `select count() as rows, toString(sum(id)) as sum from ${LOG_TABLE} where hidden = 0`,
    );
    return { rows: Number(row?.rows), sum: row?.sum ?? "0" };
  }
  const [row] = await sql<
    Sum[]
  >`select count(*)::int as rows, coalesce(sum(id), 0)::text as sum from usage_logs where not hidden`;
  return row ?? { rows: 0, sum: "0" };
}

/** As `weir archive read` does it: each row once. */
async function sumOfArchives(): Promise<Sum> {
  const storage = new FolderStorage(folder);
  const listed = await listArchives(storage);
  const manifests = listed.flatMap(({ manifest }) => manifest ?? []);
  let [rows, sum] = [0, 0n];
  for await (const row of readMerged(storage, manifests, { from: 0, until: Number.MAX_SAFE_INTEGER })) {
    rows += 1;
    sum += BigInt(Number(row.id));
  }
  console.log(`${manifests.length} archives`);
  return { rows, sum: String(sum) };
}

/** Rows that are neither in the log nor in an archive that the database noted, and rows that are in several archives. */
async function missingRows(): Promise<{ lost: number; twice: number }> {
  const times = new Uint8Array(perDay * DAYS);
  const count = (place: number) => {
    times[place] = (times[place] ?? 0) + 1;
  };
  const storage = new FolderStorage(folder);
  const noted = await sql<{ name: string }[]>`select name from log_archives`;
  const names = new Set(noted.map(({ name }) => name));
  for (const { name, manifest } of await listArchives(storage)) {
    if (!manifest || !names.has(name)) continue;
    for await (const rows of readRows(storage, manifest)) for (const { id } of rows) count(placeOf(Number(id)));
  }
  const twice = times.filter((one) => one > 1).length;
  for (let day = 0; day < DAYS; day++) for (const id of await idsOf(start + day * DAY)) count(placeOf(id));
  return { lost: times.filter((one) => one === 0).length, twice };
}

/** Which row of those that were filled in has this id: 0, 1, 2 … */
function placeOf(id: number): number {
  return store ? storeRowOf(id) : id - 1;
}

async function idsOf(day: number): Promise<number[]> {
  const where = `created_at >= ${day} and created_at < ${day + DAY}`;
  const rows = store
    ? await store.query<{ id: number }>(`select id from ${LOG_TABLE} where hidden = 0 and ${where}`)
    : await sql.unsafe<{ id: number }[]>(`select id from usage_logs where not hidden and ${where}`);
  return rows.map(({ id }) => Number(id));
}

/** Kills the turn when it has come to a stage, each stage in turn; resolves to how often at each. */
async function killAtEveryStage(times: number): Promise<Record<string, number>> {
  const killed: Record<string, number> = {};
  for (let time = 0; time < times; time++) {
    const stage = STAGES[time % STAGES.length] ?? "data";
    const ended = await turn(stage);
    if (ended !== null) break;
    killed[stage] = (killed[stage] ?? 0) + 1;
    const { lost } = await missingRows();
    if (lost > 0) throw new Error(`killed at ${stage}: ${lost} rows are neither in the log nor in an archive`);
  }
  return killed;
}

/** `killAt`: shortly after it has come to this stage, of the first or the second archive. Null = it was killed. */
async function turn(killAt: string | null): Promise<object | null> {
  const child = spawn(process.execPath, ["--import", "tsx", "tools/bench/archives-turn.ts"], {
    env: {
      ...process.env,
      DATABASE_URL: postgres.url,
      LOG_STORE_URL: server?.url ?? "",
      ARCHIVE_FOLDER: folder,
      ARCHIVE_FORMAT: values.format,
      PIECE_ROWS: values["piece-rows"],
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const wanted = 1 + Math.round(Math.random());
  let [seen, result]: [number, object | null] = [0, null];
  const ended = new Promise((done) => child.once("close", done));
  for await (const line of createInterface({ input: child.stdout })) {
    const told = JSON.parse(line) as { stage?: string; result?: string };
    if (told.result !== undefined) result = told;
    if (killAt === null || told.stage !== killAt || ++seen !== wanted) continue;
    await delay(Math.random() * 40);
    child.kill("SIGKILL");
  }
  await ended;
  return result;
}

function filesIn(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
