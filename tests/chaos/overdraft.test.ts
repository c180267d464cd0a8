import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "@/bench/alternatives";
import { prepareDatabase } from "@/bench/weir";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { reconcile } from "@/lib/billing/reconcile";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { databaseUrl, type Stack, startStack } from "./stack";

type Balance = { quota: number; usedQuota: number };

describe("a balance under parallel requests on two gateway processes", () => {
  const directory = mkdtempSync(join(tmpdir(), "weir-overdraft-"));
  let upstream: FakeUpstream;
  let stack: Stack;
  let key: string;
  let database: DatabaseHandle;

  beforeAll(async () => {
    chmodSync(directory, 0o711);
    upstream = await startFakeUpstream();
    stack = await startStack(directory, await freePort());
    const url = databaseUrl(directory);
    key = await prepareDatabase(url, upstream.url, "fake-gpt");
    database = createDatabase({ url, max: 2, applicationName: "weir-overdraft" });
  }, 120_000);

  afterAll(async () => {
    await database?.end();
    await stack?.stop();
    await upstream?.close();
    rmSync(directory, { recursive: true, force: true });
  }, 60_000);

  async function ask(): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${stack.port}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "fake-gpt", max_tokens: 20, messages: [{ role: "user", content: "hi" }] }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function balance(): Promise<Balance> {
    const [row] = await database.sql<Balance[]>`
      select quota, used_quota as "usedQuota" from users where username = 'bench'`;
    if (!row) throw new Error("the user is missing");
    return row;
  }

  test("200 parallel requests against a balance that pays for 10: at most 10 served, never negative, each charged once", async () => {
    expect(await ask()).toBe(200);
    const before = await balance();
    const cost = before.usedQuota;
    expect(cost).toBeGreaterThan(0);
    const [user] = await database.sql<{ id: number }[]>`select id from users where username = 'bench'`;
    const amount = cost * 10 - before.quota;
    await postLedgerEntry(database.db, {
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
    expect((await reconcile(database.sql)).differences).toEqual([]);
  }, 60_000);
});
