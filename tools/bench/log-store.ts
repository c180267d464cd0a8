import { execSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { BY_USER_TABLE } from "@/lib/log-store/clickhouse/by-user";
import { commandOn, createLogStore } from "@/lib/log-store/clickhouse/client";
import { fillHourTable, HOURS_TABLE } from "@/lib/log-store/clickhouse/hours";
import { migrateLogStore } from "@/lib/log-store/clickhouse/migrations";
import { LOG_TABLE } from "@/lib/log-store/clickhouse/tables";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { startOwnClickHouse } from "@/tests/operations/own-clickhouse";
import { measureLists } from "./log-store-lists";
import { fillDay, type LogStoreScale } from "./log-store-rows";

// The usage log in ClickHouse at a large number of rows: disk per row, and how long its lists take. tools/bench/README.md says how
// to run it and what it has measured.

const { values } = parseArgs({
  options: {
    directory: { type: "string", default: "/var/tmp/weir-log-store" },
    rows: { type: "string", default: "100000000" },
    days: { type: "string", default: "90" },
    questions: { type: "string", default: "200" },
    seconds: { type: "string", default: "60" },
    only: { type: "string", default: "." },
    before: { type: "string", default: "" },
  },
});
const scale: LogStoreScale = { rows: Number(values.rows), days: Number(values.days), users: 10_000, channels: 100 };
const ZSTD = `<compression><case><min_part_size>0</min_part_size><min_part_size_ratio>0</min_part_size_ratio><method>zstd</method><level>5</level></case></compression>`;

const isFilled = existsSync(`${values.directory}/filled`);
mkdirSync(values.directory, { recursive: true });
const server = await startOwnClickHouse(values.directory, { settings: ZSTD });
const store = createLogStore(parseLogStoreUrl(server.url));
try {
  const before = performance.now();
  await migrateLogStore(store);
  console.log(`migrations: ${((performance.now() - before) / 1_000).toFixed(1)} s`);
  if (!isFilled) await fill();
  await noteHours();
  await tellDisk();
  await measureLists({
    url: server.url,
    directory: values.directory,
    questions: Number(values.questions),
    seconds: Number(values.seconds),
    only: new RegExp(values.only),
    before: values.before === "" ? async () => {} : dropCaches,
  });
} finally {
  await store.end();
  await server.stop();
}

/** The server's own cache, and what the given command drops, e.g. that of the operating system. */
async function dropCaches(): Promise<void> {
  const [own] = store.servers;
  if (own) await commandOn(own, "system drop mark cache");
  execSync(values.before);
}

async function fill(): Promise<void> {
  const [own] = store.servers;
  if (!own) throw new Error("there is no server");
  const rows = Math.floor(scale.rows / scale.days);
  const today = Math.floor(Date.now() / 86_400_000) * 86_400;
  const known = await store.query<{ day: string; rows: string }>(
    `select intDiv(created_at, 86400) as day, count() as rows from ${LOG_TABLE} group by day`,
  );
  const there = new Map(known.map((row) => [Number(row.day) * 86_400, Number(row.rows)]));
  for (let index = 0; index < scale.days; index++) {
    const day = { start: today - (scale.days - 1 - index) * 86_400, first: index * rows, rows };
    if (there.get(day.start) === rows) continue;
    await commandOn(own, `alter table ${LOG_TABLE} drop partition ${day.start / 86_400}`);
    await commandOn(own, fillDay(LOG_TABLE, scale, day), { timeoutMs: 600_000 });
    console.log(`${(index + 1) * rows} rows`);
  }
  mkdirSync(`${values.directory}/filled`);
}

/** The rows were made by the server itself, and so the hours of their values. */
async function noteHours(): Promise<void> {
  const [own] = store.servers;
  const [noted] = await store.query<{ count: string }>(`select count() as count from ${HOURS_TABLE}`);
  if (!own || Number(noted?.count) > 0) return;
  const before = performance.now();
  for (const statement of fillHourTable(store.config)) await commandOn(own, statement, { timeoutMs: 1_800_000 });
  console.log(`hours of values: ${((performance.now() - before) / 1_000).toFixed(1)} s`);
}

async function tellDisk(): Promise<void> {
  const columns = await store.query<{ column: string; bytes: string }>(`
    select column, sum(column_data_compressed_bytes + column_marks_bytes) as bytes from system.parts_columns
    where active and database = currentDatabase() and table = '${LOG_TABLE}' group by column order by bytes desc`);
  const [total] = await store.query<{ rows: string; bytes: string; parts: string }>(`
    select sum(rows) as rows, sum(bytes_on_disk) as bytes, count() as parts from system.parts
    where active and database = currentDatabase() and table = '${LOG_TABLE}'`);
  const rows = Number(total?.rows ?? 0);
  for (const table of [HOURS_TABLE, BY_USER_TABLE]) {
    const [found] = await store.query<{ bytes: string }>(`
      select sum(bytes_on_disk) as bytes from system.parts
      where active and database = currentDatabase() and table = '${table}'`);
    console.log(`${table}: ${(Number(found?.bytes ?? 0) / rows).toFixed(2)} bytes a row of the log`);
  }
  console.log(`${rows} rows in ${total?.parts} parts, ${(Number(total?.bytes ?? 0) / rows).toFixed(1)} bytes a row`);
  for (const { column, bytes } of columns.slice(0, 15)) console.log(`  ${column} ${(Number(bytes) / rows).toFixed(2)}`);
}
