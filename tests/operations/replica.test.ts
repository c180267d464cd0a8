// A primary and a streaming replica of PostgreSQL 15. The console's route tables run in this process.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import * as channelTable from "@/app/api/channel/[[...path]]/route";
import * as dataTable from "@/app/api/data/[[...path]]/route";
import * as logTable from "@/app/api/log/[[...path]]/route";
import * as drawingTable from "@/app/api/mj/[[...path]]/route";
import * as redemptionTable from "@/app/api/redemption/[[...path]]/route";
import * as taskTable from "@/app/api/task/[[...path]]/route";
import * as tokenTable from "@/app/api/token/[[...path]]/route";
import * as userTable from "@/app/api/user/[[...path]]/route";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { consoleDatabase } from "@/lib/console-database";
import { ROLE, type ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { routesOf } from "@/lib/http/route";
import { readReplicaFigures } from "@/lib/metrics/replica-figures";
import { fromReplica } from "@/lib/replica/from-replica";
import { consoleReplica, openedReplica } from "@/lib/replica/replica-database";
import type { ReplicaStatus } from "@/lib/replica/watched-replica";
import { readDashboard } from "@/lib/statistics/dashboard-queries";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { checkReplica } from "@/server/doctor/replica";
import { call, createPerson, type Person, type Table } from "@/tests/api/harness";
import { copyStandby, type OwnPostgres, startOwnPostgres } from "./own-postgres";

const LIMIT_SECONDS = 2;
const WAIT_MS = 30_000;
/** What reads and has pages: every route with `reads`. */
const TABLES: Record<string, Table> = {
  channel: channelTable,
  data: dataTable,
  log: logTable,
  mj: drawingTable,
  redemption: redemptionTable,
  task: taskTable,
  token: tokenTable,
  user: userTable,
};
const folder = createRunFolder("replica");
let primary: OwnPostgres;
let replica: OwnPostgres;
let database: DatabaseHandle;
/** On the replica, for its replay. */
let standby: DatabaseHandle;
let root: Person;
let other: Person;

const ctxOf = (person: Person): ServiceContext => ({
  ...consoleDatabase(),
  actor: { type: "user", id: person.id, username: person.username, role: ROLE.root, group: "", via: "session" },
  clientIp: "",
});
const status = (): ReplicaStatus | undefined => consoleReplica()?.watched.state().status;
const untilStatus = (wanted: ReplicaStatus): Promise<void> => until(() => status() === wanted, WAIT_MS);
const serverOf = (ctx: ServiceContext): Promise<string> =>
  fromReplica(ctx, async ({ sql }) => {
    const [row] = await sql<{ isReplica: boolean }[]>`select pg_is_in_recovery() as "isReplica"`;
    return row?.isReplica ? "replica" : "primary";
  });
const doctorSays = async () => (await checkReplica(database.sql, env()))[0];
const writeSomething = () => database.sql`select pg_logical_emit_message(true, 'test', 'x')`;

beforeAll(async () => {
  chmodSync(folder, 0o711);
  primary = await startOwnPostgres(join(folder, "primary"));
  await migrateDatabase(primary.url);
  replica = await startOwnPostgres(copyStandby(primary, join(folder, "standby")), [
    "-c",
    "max_standby_streaming_delay=0",
  ]);
  database = createDatabase({ url: primary.url, max: 3, applicationName: "test" });
  standby = createDatabase({ url: replica.url, isReplica: true, max: 1, applicationName: "test" });
  process.env.DATABASE_URL = primary.url;
  process.env.DATABASE_REPLICA_URL = replica.url;
  process.env.WEIR_REPLICA_LAG_SECONDS = String(LIMIT_SECONDS);
  root = await createPerson({ ...database, url: primary.url, drop: async () => {} }, "root", 100);
  other = await createPerson({ ...database, url: primary.url, drop: async () => {} }, "other", 100);
});
beforeEach(async () => {
  await untilStatus("fresh");
  await until(async () => (await serverOf(ctxOf(root))) === "replica", WAIT_MS);
});
afterAll(async () => {
  await openedReplica()?.close();
  await consoleDatabase().end();
  await Promise.all([standby?.end(), database?.end()]);
  await Promise.all([replica?.stop(), primary?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

test("lists, sums and charts are read from the replica, all of them", async () => {
  const lines = Object.entries(TABLES).flatMap(([name, table]) =>
    routesOf(table.GET as never)
      .filter(({ reads }) => reads)
      .map(({ path }) => `GET /api/${name}${path}`),
  );
  expect(lines.length).toBeGreaterThan(20);
  expect(await doctorSays()).toMatchObject({ level: "ok" });
  for (const line of lines) {
    const { replica: before = 0 } = consoleReplica()?.reads ?? {};
    const [, path = ""] = line.split(" ");
    const answer = await call(TABLES[path.split("/")[2] ?? ""] as Table, line, { as: other });
    expect(answer.json, line).toMatchObject({ success: true });
    expect(consoleReplica()?.reads.replica, line).toBe(before + 1);
  }
  const before = consoleReplica()?.reads.replica ?? 0;
  const now = Math.floor(Date.now() / 1_000);
  const window = { from: now - 86_400, until: now, granularity: "hour", timeZone: "UTC" } as const;
  await fromReplica(ctxOf(other), (there) => readDashboard(there, { scope: "all", dimension: "model", ...window }));
  expect(consoleReplica()?.reads.replica).toBe(before + 1);
});

test("who has changed something sees it in the next list, and reads the replica again once it has it; others go on there", async () => {
  await standby.sql`select pg_wal_replay_pause()`;
  const made = await call(tokenTable, "POST /api/token/", { as: root, body: { name: "just made" } });
  expect(made.json).toMatchObject({ success: true });
  expect(await serverOf(ctxOf(root))).toBe("primary");
  expect(await serverOf(ctxOf(other))).toBe("replica");
  const listed = await call(tokenTable, "GET /api/token/", { as: root });
  expect(listed.json.data.map(({ name }: { name: string }) => name)).toContain("just made");
  await standby.sql`select pg_wal_replay_resume()`;
  await until(async () => (await serverOf(ctxOf(root))) === "replica", WAIT_MS);
  const again = await call(tokenTable, "GET /api/token/", { as: root });
  expect(again.json.data.map(({ name }: { name: string }) => name)).toContain("just made");
});

test("who may do what is never read from the replica: a session that ended is refused although the replica still has it", async () => {
  const guest = await createPerson({ ...database, url: primary.url, drop: async () => {} }, "guest", 10);
  await until(async () => (await standby.sql`select 1 from users where id = ${guest.id}`).length === 1, WAIT_MS);
  await standby.sql`select pg_wal_replay_pause()`;
  await database.sql`update users set status = 2 where id = ${guest.id}`;
  const refused = await call(userTable, "GET /api/user/", { as: guest });
  expect(refused.json).toMatchObject({ success: false });
  await standby.sql`select pg_wal_replay_resume()`;
});

test("a replica that lacks more than the limit is not read, its lag is known, and it is read again when it has caught up", async () => {
  await standby.sql`select pg_wal_replay_pause()`;
  for (const end = Date.now() + WAIT_MS; status() === "fresh" && Date.now() < end; await delay(200))
    await writeSomething();
  const { status: found, lagMs, lagBytes } = consoleReplica()?.watched.state() ?? {};
  expect(found).toBe("behind");
  expect(lagMs).toBeGreaterThan(LIMIT_SECONDS * 1_000);
  expect(lagBytes).toBeGreaterThan(0);
  const figures = new Map(readReplicaFigures().map(({ name, values }) => [name, values[0]?.value ?? 0]));
  expect(figures.get("weir_replica_readable")).toBe(0);
  expect(figures.get("weir_replica_lag_seconds")).toBeGreaterThan(LIMIT_SECONDS);
  expect(await serverOf(ctxOf(other))).toBe("primary");
  await standby.sql`select pg_wal_replay_resume()`;
  await untilStatus("fresh");
  expect(await serverOf(ctxOf(other))).toBe("replica");
});

test("a read that is in the way of the replay is cancelled there and done on the primary", async () => {
  const servers: boolean[] = [];
  const reading = fromReplica(ctxOf(other), async ({ sql }) => {
    const [row] = await sql<{ isReplica: boolean }[]>`
      select pg_is_in_recovery() as "isReplica", (select count(*) from redemptions) as rows`;
    servers.push(row?.isReplica === true);
    if (row?.isReplica) await sql`select pg_sleep(20)`;
    return "read";
  });
  await until(() => servers.length === 1, WAIT_MS);
  await database.sql`vacuum full redemptions`;
  expect(await reading).toBe("read");
  expect(servers).toEqual([true, false]);
});

test("a replica that stands still keeps nobody waiting for long, and is read again when it goes on", async () => {
  let seen = 0;
  const reading = fromReplica(ctxOf(other), async ({ sql }) => {
    seen += 1;
    if (seen === 1) await sql`select pg_sleep(600)`;
    return "read";
  });
  await until(() => seen === 1, WAIT_MS);
  const from = performance.now();
  replica.freeze();
  expect(await reading).toBe("read");
  expect(performance.now() - from).toBeLessThan(10_000);
  expect(status()).toBe("away");
  expect(await serverOf(ctxOf(other))).toBe("primary");
  replica.thaw();
  await untilStatus("fresh");
});

test("a replica that is gone is not read, and is again when it is back; a replica of another cluster and one that was promoted never are", async () => {
  await replica.crash();
  await untilStatus("away");
  expect(await serverOf(ctxOf(other))).toBe("primary");
  expect((await doctorSays())?.level).toBe("warning");
  await replica.startAgain();
  await untilStatus("fresh");
  const stranger = await startOwnPostgres(join(folder, "stranger"));
  await openedReplica()?.close();
  process.env.DATABASE_REPLICA_URL = stranger.url;
  await untilStatus("foreign");
  expect((await doctorSays())?.level).toBe("problem");
  expect(await serverOf(ctxOf(other))).toBe("primary");
  await openedReplica()?.close();
  await stranger.stop();
  process.env.DATABASE_REPLICA_URL = replica.url;
  await untilStatus("fresh");
  await standby.sql`select pg_promote()`;
  await untilStatus("primary");
  const before = consoleReplica()?.reads.primary ?? 0;
  await serverOf(ctxOf(other));
  expect(consoleReplica()?.reads.primary).toBe(before + 1);
  await openedReplica()?.close();
  const again = copyStandby(primary, join(folder, "standby-2"));
  await replica.stop();
  replica = await startOwnPostgres(again);
  process.env.DATABASE_REPLICA_URL = replica.url;
  await untilStatus("fresh");
});
