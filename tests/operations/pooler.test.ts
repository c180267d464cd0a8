// PgBouncer with ops/cluster/pgbouncer.ini between Weir and PostgreSQL 15, which writes down every statement.
import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { PUT as putChannel } from "@/app/api/channel/[[...path]]/route";
import { GET as getLogs } from "@/app/api/log/[[...path]]/route";
import { GET as getTokens, POST as postToken } from "@/app/api/token/[[...path]]/route";
import { createDatabase } from "@/db/client";
import { testChannelsBySchedule } from "@/lib/channel/test-commands";
import { consoleDatabase } from "@/lib/console-database";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { assertDatabaseAddresses } from "@/server/database-answers";
import { call, createPerson } from "@/tests/api/harness";
import { pooler } from "@/tests/cluster/pooler";
import { freePort } from "@/tools/bench/alternatives";
import { startNameSwitch } from "./name-switch";
import { copyStandby, type OwnPostgres, startOwnPostgres } from "./own-postgres";
import { needPackages } from "./packages";
import { inTrouble } from "./trouble-place";

const entry = setUpBundle(["main", "gateway", "worker"]);
const TIMEOUT_MS = 300_000;
const PASSWORD = "pooled";

beforeAll(() => needPackages({ "/usr/sbin/pgbouncer": "pgbouncer" }));

/** Statements whose effect outlives their transaction, in the session in which they ran. */
const OF_A_SESSION =
  /\b(un)?listen\b|\bpg_(try_)?advisory_(un)?lock(_shared)?\s*\(|^\s*set\s+(?!local\b|transaction\b)|\bprepare\b|\bwith hold\b|\bcreate\s+temp|set_config\([^)]*false\s*\)/i;

/** By application name, what ran; PgBouncer adds the caller's address to the names of those that come through it. */
function statementsOf(log: string): { name: string; isPooled: boolean; isPrepared: boolean; text: string }[] {
  return [...log.matchAll(/^@([^@\n]*)@LOG: {2}(?:statement|execute ([^:]+)): (.*(?:\n\t.*)*)$/gm)].map(
    ([, from, plan, text]) => ({
      name: (from ?? "").replace(/ - [\d.]+:\d+$/, ""),
      isPooled: / - [\d.]+:\d+$/.test(from ?? ""),
      isPrepared: plan !== undefined && !plan.startsWith("<unnamed>"),
      text: text ?? "",
    }),
  );
}

test(
  "relay and console work through PgBouncer, also when it is killed, and nothing that belongs to a session is sent through it",
  async () => {
    const port = await freePort();
    let part: ReturnType<typeof pooler> | undefined;
    let env: Record<string, string> = {};
    let logFile = "";
    const through = async ({ url }: OwnPostgres, folder: string, ends: (() => unknown)[]) => {
      const own = readFileSync(join("ops", "cluster", "pgbouncer.ini"), "utf8")
        .replace(/host=@LOCAL@ port=5000 dbname=weir/, `host=127.0.0.1 port=${new URL(url).port} dbname=postgres`)
        .replace("@LOCAL@", "127.0.0.1")
        .replace("6432", String(port))
        .replace("@PGBOUNCER@", folder);
      logFile = join(folder, "own", "data", "log", "statements.log");
      part = pooler(folder, { ini: `${own}application_name_add_host = 1\n`, userlist: `"weir" "${PASSWORD}"\n` });
      part.start();
      ends.push(() => part?.kill());
      env = { DATABASE_URL: `postgres://weir:${PASSWORD}@127.0.0.1:${port}/weir`, DATABASE_DIRECT_URL: url };
      return env;
    };
    const settings = "log_statement=all log_line_prefix=@%a@ logging_collector=on log_filename=statements.log"
      .split(" ")
      .flatMap((setting) => ["-c", setting]);
    await inTrouble({ main: entry("main"), name: "through PgBouncer", settings, through }, async (place) => {
      await expect(assertDatabaseAddresses({ ...env, DATABASE_DIRECT_URL: undefined } as never)).rejects.toThrow(
        "DATABASE_URL leads to a pooler",
      );
      await expect(assertDatabaseAddresses({ ...env, DATABASE_DIRECT_URL: env.DATABASE_URL } as never)).rejects.toThrow(
        "It must lead to PostgreSQL itself",
      );
      await part?.kill();
      part?.start();
      await place.load.untilAnswered(3);
      await place.expectBooksRight();
      await useConsole(env, place.database);
      expect(existsSync(logFile)).toBe(true);
      const statements = statementsOf(readFileSync(logFile, "utf8"));
      const pooled = statements.filter(({ isPooled }) => isPooled);
      expect([...new Set(pooled.map(({ name }) => name))]).toEqual(["weir-pooled"]);
      for (const kind of [/weir_acquire_lease/, /update nodes/, /from tokens/, /insert into "tokens"/]) {
        expect(
          pooled.some(({ text }) => kind.test(text)),
          String(kind),
        ).toBe(true);
      }
      // The other two are PgBouncer's own: its connect_query, and the name with the address that this test asks for.
      const isOwn = /^(set statement_timeout = 15000;|SET application_name=)/;
      const isAllowed = ({ text, isPrepared }: (typeof pooled)[number]) =>
        !isPrepared && (isOwn.test(text) || !OF_A_SESSION.test(text));
      expect(pooled.filter((one) => !isAllowed(one))).toEqual([]);
      // Where they go, and that the expressions above would find them.
      const direct = statements.filter(({ isPooled }) => !isPooled);
      for (const kind of [/^listen "weir/i, /pg_try_advisory_lock/i]) {
        expect(direct.some(({ text }) => kind.test(text) && OF_A_SESSION.test(text))).toBe(true);
      }
      expect(direct.some(({ name, isPrepared }) => name === "weir-gateway settling" && isPrepared)).toBe(true);
    });
  },
  TIMEOUT_MS,
);

/** Reads, writes, and a test of all channels, which holds a lock of a session. */
async function useConsole(env: Record<string, string>, database: ReturnType<typeof createDatabase>): Promise<void> {
  Object.assign(process.env, env);
  try {
    const root = await createPerson(database as never, "root-of-pooler", 100);
    const made = await call({ POST: postToken } as never, "POST /api/token/", { as: root, body: { name: "pooled" } });
    expect(made.json).toMatchObject({ success: true });
    const tokens = await call({ GET: getTokens } as never, "GET /api/token/", { as: root });
    expect(tokens.json.data).toHaveLength(1);
    const logs = await call({ GET: getLogs } as never, "GET /api/log/", { as: root });
    expect(logs.json).toMatchObject({ success: true });
    const [channel] = await database.sql<{ id: number }[]>`select id from channels limit 1`;
    const changed = { id: channel?.id, priority: 3 };
    expect(
      (await call({ PUT: putChannel } as never, "PUT /api/channel/", { as: root, body: changed })).json,
    ).toMatchObject({ success: true });
    const run = await testChannelsBySchedule(consoleDatabase().sql, 0);
    expect(run?.tested).toBe(1);
  } finally {
    await consoleDatabase().end();
    delete (globalThis as { weirConsoleDatabase?: unknown }).weirConsoleDatabase;
  }
}

test("sessions that the pooler keeps at a server which has become a reader are ended, and writes go on at once", async () => {
  const folder = createRunFolder("pooled-readers");
  chmodSync(folder, 0o711);
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const primary = await startOwnPostgres(join(folder, "primary"));
    ends.push(() => primary.stop());
    const standby = await startOwnPostgres(copyStandby(primary, join(folder, "standby")));
    ends.push(() => standby.stop());
    const name = await startNameSwitch(primary.url);
    ends.push(() => name.close());
    const port = await freePort();
    // As it comes: sessions live for an hour.
    const ini = `
      [databases]
      weir = host=127.0.0.1 port=${new URL(name.url).port} dbname=postgres
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = ${port}
      unix_socket_dir =
      pool_mode = transaction
      auth_type = scram-sha-256
      auth_file = ${join(folder, "userlist.txt")}
      server_login_retry = 1`;
    const part = pooler(folder, { ini, userlist: `"weir" "${PASSWORD}"\n` });
    part.start();
    ends.push(() => part.kill());
    const url = `postgres://weir:${PASSWORD}@127.0.0.1:${port}/weir`;
    const { sql, end } = createDatabase({ url, directUrl: name.url, max: 10, applicationName: "test" });
    ends.push(end);
    await until(() => sql`create table written (at int)`.then(() => true).catch(() => false), 20_000);
    name.lead(standby.url, { isCut: true });
    // The pooler then has several sessions at the standby.
    const isReader = () =>
      sql`select pg_is_in_recovery() as reader, pg_sleep(0.2)`.then(([row]) => row?.reader === true);
    await until(
      () =>
        Promise.all(Array.from({ length: 10 }, isReader))
          .then((all) => all.every(Boolean))
          .catch(() => false),
      20_000,
    );
    expect(name.leadingTo(standby.url)).toBeGreaterThan(1);
    name.lead(primary.url);
    const write = () => sql`insert into written values (1)`;
    await expect(write()).rejects.toMatchObject({ code: "25006" });
    await until(() => name.leadingTo(standby.url) === 0, 10_000);
    await until(
      () =>
        Promise.all(Array.from({ length: 20 }, write))
          .then(() => true)
          .catch(() => false),
      10_000,
    );
  } finally {
    for (const one of ends.reverse()) await one();
  }
});
