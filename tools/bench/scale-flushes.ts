import { createDatabase, type Sql } from "@/db/client";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { fillForFlushes, walPosition } from "./flush-database";
import { settlementRows } from "./flush-rows";

/** What each part measures with. */
export type Bench = {
  url: string;
  sql: Sql;
  seconds: number;
  /** CPU of PostgreSQL so far, in ms. */
  cpu: () => number;
};

const USERS = 40_000;
const CHANNELS = 8;

type Load = {
  name: string;
  /** Requests in a flush. */
  size: number;
  /** Processes that flush at the same time. */
  processes: number;
  rows: (process: number) => ReturnType<typeof settlementRows>;
};

const among = (users: number, size: number): Load => ({
  name: `${users} users`,
  size,
  processes: 1,
  rows: () => settlementRows(size, users),
});

/** Four processes: what they share. Each has a quarter of the users, but where one user makes all requests. */
const quarter = USERS / 4;
const shared = (name: string, users: number, isOneUser: boolean, isOneChannel: boolean): Load => ({
  name,
  size: 48,
  processes: 4,
  rows: (process) =>
    settlementRows(48, users, {
      firstUser: isOneUser ? 1 : 1 + process * quarter,
      channelId: isOneChannel ? 1 : 1 + process,
    }),
});

const loads: Load[] = [
  among(1, 48),
  among(100, 48),
  among(10_000, 48),
  among(1, 200),
  among(100, 200),
  among(10_000, 200),
  shared("4 processes, other users, other channels", 100, false, false),
  shared("4 processes, other users, one channel", 100, false, true),
  shared("4 processes, one user, other channels", 1, true, false),
  shared("4 processes, one user, one channel", 1, true, true),
];

/** How many users a flush has, and what several processes share. */
export async function measureFlushes(bench: Bench): Promise<void> {
  const nodeId = await fillForFlushes(bench.sql, USERS, CHANNELS);
  console.log("| load | requests per flush | requests/s | CPU µs per request | WAL bytes | flush ms |");
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const load of loads) console.log(await runLoad(bench, nodeId, load));
}

async function runLoad({ url, sql, seconds, cpu }: Bench, nodeId: string, load: Load): Promise<string> {
  const databases = Array.from({ length: load.processes }, () =>
    createDatabase({ url, max: 1, applicationName: "weir-bench" }),
  );
  // PostgreSQL plans the function's statements in each connection's first flushes.
  for (const [process, database] of databases.entries()) {
    for (let n = 0; n < 6; n++) await bookSettlements(database.sql, nodeId, load.rows(process));
  }
  const before = { cpu: cpu(), wal: await walPosition(sql), at: performance.now() };
  const until = before.at + seconds * 1_000;
  const counts = await Promise.all(databases.map(({ sql }, process) => flushUntil(sql, nodeId, load, process, until)));
  const flushes = counts.reduce((sum, count) => sum + count, 0);
  const [elapsed, booked] = [performance.now() - before.at, flushes * load.size];
  const figures = [
    ((booked / elapsed) * 1_000).toFixed(0),
    (((cpu() - before.cpu) * 1_000) / booked).toFixed(1),
    (((await walPosition(sql)) - before.wal) / booked).toFixed(0),
    ((elapsed * load.processes) / flushes).toFixed(1),
  ];
  for (const { end } of databases) await end();
  return `| ${load.name} | ${load.size} | ${figures.join(" | ")} |`;
}

async function flushUntil(sql: Sql, nodeId: string, load: Load, process: number, until: number): Promise<number> {
  let flushes = 0;
  for (; performance.now() < until; flushes++) await bookSettlements(sql, nodeId, load.rows(process));
  return flushes;
}

/** What a row of the log takes, with its indexes; and its text, as the journal and an outbox have it. */
export async function measureRows({ sql }: Bench): Promise<void> {
  const nodeId = await fillForFlushes(sql, 1_000);
  const rows = 100_000;
  let text = 0;
  for (let booked = 0; booked < rows; booked += 200) {
    const batch = settlementRows(200, 1_000);
    text += batch.reduce((sum, { json }) => sum + json.length, 0);
    await bookSettlements(sql, nodeId, batch);
  }
  const [size] = await sql<{ heap: number; indexes: number }[]>`
    select sum(pg_table_size(relid))::int8 as heap, sum(pg_indexes_size(relid))::int8 as indexes
    from pg_partition_tree('usage_logs') where isleaf`;
  const [hours] = await sql<{ bytes: number; rows: number }[]>`
    select pg_total_relation_size('usage_hourly') as bytes, count(*)::int as rows from usage_hourly`;
  const each = (bytes = 0) => (bytes / rows).toFixed(0);
  console.log(`a row of the log: ${each(size?.heap)} bytes, ${each(size?.indexes)} of indexes; its text ${each(text)}`);
  console.log(`an hourly sum: ${((hours?.bytes ?? 0) / (hours?.rows ?? 1)).toFixed(0)} bytes with its indexes`);
}
