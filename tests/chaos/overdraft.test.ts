import { describe, expect, test } from "vitest";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { reconcile } from "@/lib/billing/reconcile";
import { setUpWeir } from "./harness";

type Balance = { quota: number; usedQuota: number };

describe("a balance under parallel requests on two gateway processes", () => {
  const weir = setUpWeir("fake-gpt");

  async function ask(): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${weir.stack.port}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${weir.key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "fake-gpt", max_tokens: 20, messages: [{ role: "user", content: "hi" }] }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function balance(): Promise<Balance> {
    const [row] = await weir.database.sql<Balance[]>`
      select quota, used_quota as "usedQuota" from users where username = 'bench'`;
    if (!row) throw new Error("the user is missing");
    return row;
  }

  test("200 parallel requests against a balance that pays for 10: at most 10 served, never negative, each charged once", async () => {
    expect(await ask()).toBe(200);
    const before = await balance();
    const cost = before.usedQuota;
    expect(cost).toBeGreaterThan(0);
    const [user] = await weir.database.sql<{ id: number }[]>`select id from users where username = 'bench'`;
    const amount = cost * 10 - before.quota;
    await postLedgerEntry(weir.database.db, {
      userId: user?.id ?? 0,
      amount,
      kind: "adjustment",
      reference: "overdraft:lower",
      actorId: null,
    });
    const statuses = await Promise.all(Array.from({ length: 200 }, ask));
    const served = statuses.filter((status) => status === 200).length;
    expect(served).toBeGreaterThan(0);
    expect(served).toBeLessThanOrEqual(10);
    expect(statuses.filter((status) => status !== 200 && status !== 403)).toEqual([]);
    const after = await balance();
    expect(after).toEqual({ quota: cost * (10 - served), usedQuota: cost * (1 + served) });
    expect((await reconcile(weir.database.sql)).differences).toEqual([]);
  }, 60_000);
});
