// PostgreSQL under Patroni with etcd, HAProxy and PgBouncer, from the files of ops/cluster (docs/cluster.md), and the primary
// dies under load. tests/cluster/run.ts does this for longer, with everything killed in turn.
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createRunFolder } from "@/lib/testing/run-folder";
import { type Cluster, startCluster } from "@/tests/cluster/cluster";
import { startLoadedService } from "./loaded-service";

const entry = setUpBundle(["main", "gateway", "worker"]);
const ADMITS_MS = 30_000;
let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster({ etcds: 1, postgres: 2, isSynchronous: true });
}, 200_000);
afterAll(() => cluster?.stop());

test("the primary dies under load: no charge is lost and none booked twice, and within 30 s everything is admitted again", async () => {
  const folder = createRunFolder("cluster-service");
  const ends: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })];
  try {
    const { env, primary } = cluster;
    const { load, expectBooksRight } = await startLoadedService(
      { main: entry("main"), name: "fail-over", folder, url: env.DATABASE_DIRECT_URL, env },
      ends,
    );
    const old = await primary();
    const killedAt = performance.now();
    await old.kill();
    await load.untilAnswered(1);
    const admittedAfterMs = performance.now() - killedAt;
    process.stdout.write(`\nall kinds admitted ${(admittedAfterMs / 1_000).toFixed(1)} s after the primary's death\n`);
    await load.untilAnswered(3);
    expect((await primary()).name).not.toBe(old.name);
    expect(admittedAfterMs).toBeLessThan(ADMITS_MS);
    await expectBooksRight();
  } finally {
    for (const end of ends.reverse()) await end();
  }
});
