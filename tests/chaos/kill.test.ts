import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "@/bench/alternatives";
import { prepareDatabase } from "@/bench/weir";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { reconcile } from "@/lib/billing/reconcile";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { type Load, startLoad } from "./load";
import { databaseUrl, type Role, type Stack, startStack } from "./stack";

const MODELS = "fake-gpt,fake-gpt:chunks=20:pace=5";

describe("kill -9 in the middle of a load", () => {
  const directory = mkdtempSync(join(tmpdir(), "weir-chaos-"));
  let upstream: FakeUpstream;
  let port: number;
  let stack: Stack;
  let key: string;
  let load: Load;
  let database: DatabaseHandle;

  beforeAll(async () => {
    chmodSync(directory, 0o711);
    upstream = await startFakeUpstream();
    port = await freePort();
    stack = await startStack(directory, port);
    key = await prepareDatabase(databaseUrl(directory), upstream.url, MODELS);
    database = createDatabase({ url: databaseUrl(directory), max: 2, applicationName: "weir-chaos" });
    load = startLoad(port, key, 16);
    await untilServed(load, 20);
  }, 120_000);

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await upstream?.close();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  test.each<Role>(["gateway", "worker", "postgres", "gateway", "postgres"])(
    "the load goes on after every %s process was killed",
    async (role) => {
      expect(stack.kill(role)).toBeGreaterThan(0);
      await untilServed(load, 40);
    },
    90_000,
  );

  test("the load goes on after everything was killed and started again", async () => {
    for (let round = 0; round < 2; round++) {
      stack.kill("everything");
      stack = await startStack(directory, port);
      await untilServed(load, 40);
    }
  }, 150_000);

  test("every answer that a caller held whole has exactly one log row and one charge, and reconcile finds nothing", async () => {
    await load.stop();
    await stack.stop();
    stack = await startStack(directory, port);
    const ids = load.whole.map((answer) => answer.requestId);
    expect(ids.length).toBeGreaterThan(240);
    const rows = await database.sql<{ request_id: string; rows: number; quota: number }[]>`
      select request_id, count(*)::int as rows, sum(quota)::bigint as quota
      from usage_logs where type = 2 group by request_id`;
    const byId = new Map(rows.map((row) => [row.request_id, row]));
    expect(ids.filter((id) => byId.get(id)?.rows !== 1)).toEqual([]);
    expect(ids.filter((id) => !(Number(byId.get(id)?.quota) > 0))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await reconcile(database.sql)).differences).toEqual([]);
  }, 120_000);
});

async function untilServed(load: Load, more: number): Promise<void> {
  const target = load.whole.length + more;
  const deadline = Date.now() + 75_000;
  while (load.whole.length < target) {
    if (Date.now() > deadline)
      throw new Error(`only ${load.whole.length} of ${target} answers; ${load.broken()} broken`);
    await delay(50);
  }
}
