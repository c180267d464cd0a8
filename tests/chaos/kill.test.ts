import { beforeAll, describe, expect, test } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { until } from "@/lib/testing/until";
import { setUpWeir } from "./harness";
import { type Load, startLoad } from "./load";
import type { Role } from "./stack";

describe("kill -9 in the middle of a load", () => {
  const weir = setUpWeir("fake-gpt,fake-gpt:chunks=20:pace=5");
  let load: Load;

  beforeAll(async () => {
    load = startLoad(weir.stack.port, weir.key, 16);
    await untilServed(load, 20);
  }, 120_000);

  test.each<Role>(["gateway", "worker", "postgres", "gateway", "postgres"])(
    "the load goes on after every %s process was killed",
    async (role) => {
      expect(weir.stack.kill(role)).toBeGreaterThan(0);
      await untilServed(load, 40);
    },
    90_000,
  );

  test("the load goes on after everything was killed and started again", async () => {
    for (let round = 0; round < 2; round++) {
      weir.stack.kill("everything");
      await weir.startAgain();
      await untilServed(load, 40);
    }
  }, 150_000);

  test("every answer that a caller held whole has exactly one log row and one charge, and reconcile finds nothing", async () => {
    await load.stop();
    await weir.stack.stop();
    await weir.startAgain();
    const ids = load.whole.map((answer) => answer.requestId);
    expect(ids.length).toBeGreaterThan(240);
    const rows = await weir.database.sql<{ request_id: string; rows: number; quota: number }[]>`
      select request_id, count(*)::int as rows, sum(quota)::bigint as quota
      from usage_logs where type = 2 group by request_id`;
    const byId = new Map(rows.map((row) => [row.request_id, row]));
    expect(ids.filter((id) => byId.get(id)?.rows !== 1)).toEqual([]);
    expect(ids.filter((id) => !(Number(byId.get(id)?.quota) > 0))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await reconcile(weir.database.sql)).differences).toEqual([]);
  }, 120_000);
});

async function untilServed(load: Load, more: number): Promise<void> {
  const target = load.whole.length + more;
  await until(() => load.whole.length >= target, 75_000).catch(() => {
    throw new Error(`only ${load.whole.length} of ${target} answers; ${load.broken()} broken`);
  });
}
