// A name in front of a primary and its hot standby, as clouds and CloudNativePG have it: for a while it leads to the standby,
// which answers what only reads, and then to a server that takes writes. The service is under load the whole time.
import { chmodSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { createDatabase } from "@/db/client";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { type NameSwitch, startNameSwitch } from "./name-switch";
import { copyStandby, type OwnPostgres, startOwnPostgres } from "./own-postgres";
import { needPackages } from "./packages";
import { inTrouble } from "./trouble-place";

const entry = setUpBundle(["main", "gateway", "worker"]);
const AT_STANDBY_MS = 5_000;
const BACK_MS = 20_000;
const TIMEOUT_MS = 600_000;

beforeAll(() => needPackages({ "/usr/lib/postgresql/15/bin/postgres": "postgresql-15" }));

test(
  "behind a name that led to the standby for 5 s, all is served within seconds, nobody saw a 500, and each answer is charged once",
  async () => {
    let standby: OwnPostgres | undefined;
    let name: NameSwitch | undefined;
    const through = async (primary: OwnPostgres, folder: string, ends: (() => unknown)[]) => {
      standby = await startOwnPostgres(copyStandby(primary, join(folder, "standby")));
      name = await startNameSwitch(primary.url);
      for (const part of [standby, name]) ends.push(() => ("stop" in part ? part.stop() : part.close()));
      return { DATABASE_URL: name.url };
    };
    await inTrouble(
      { main: entry("main"), name: "fail-over", through },
      async ({ postgres, load, expectBooksRight }) => {
        if (!standby || !name) throw new Error("nothing stands in front of the server");
        name.lead(standby.url, { isCut: true });
        const from = load.seen.length;
        await delay(AT_STANDBY_MS);
        name.lead(postgres.url);
        // Long streams take 4 s, and four run at once.
        await load.untilAnswered(3, BACK_MS);
        const statuses = new Set(load.seen.slice(from).map(({ status }) => status));
        expect([...statuses].filter((status) => status !== 200 && status !== 503)).toEqual([]);
        await until(() => name?.leadingTo(standby?.url ?? "") === 0, BACK_MS);
        await expectBooksRight();
      },
    );
  },
  TIMEOUT_MS,
);

/** A primary and its hot standby, without a service. */
async function inPair(run: (primary: OwnPostgres, standby: OwnPostgres) => Promise<void>): Promise<void> {
  const folder = createRunFolder("pair");
  chmodSync(folder, 0o711);
  const primary = await startOwnPostgres(join(folder, "primary"));
  const standby = await startOwnPostgres(copyStandby(primary, join(folder, "standby")));
  try {
    await run(primary, standby);
  } finally {
    await Promise.all([standby.stop(), primary.stop()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

test("a standby is refused at once, also among several hosts, and what reads a replica takes it", async () => {
  await inPair(async (primary, standby) => {
    const select = async (url: string, isReplica: boolean) => {
      const { sql, end } = createDatabase({ url, isReplica, max: 1, applicationName: "test" });
      try {
        const [row] = await sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`;
        return row?.isStandby;
      } finally {
        await end();
      }
    };
    const [{ host: first }, { host: second }] = [new URL(primary.url), new URL(standby.url)];
    const several = (query: string) => `postgres://weir@${second},${first}/postgres${query}`;
    for (const query of [
      "",
      "?target_session_attrs=any",
      "?target_session_attrs=read-write",
      "?target_session_attrs=primary",
    ]) {
      await expect(select(standby.url + query, false), query).rejects.toMatchObject({ code: "SERVER_UNSUITABLE" });
      expect(await select(several(query), false), query).toBe(false);
    }
    expect(await select(standby.url, true)).toBe(true);
    const nobody = `postgres://weir@${second},127.0.0.1:9/postgres`;
    await expect(select(nobody, false)).rejects.toMatchObject({
      code: expect.stringMatching(/SERVER_UNSUITABLE|ECONNREFUSED/),
    });
  });
});
