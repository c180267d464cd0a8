// Who: a client that retries after a lost connection, a proxy that sends a request twice, an attacker who replays one, an
// administrator who clears the log while a settlement is being repeated.
// What must hold: a request with an Idempotency-Key is served and charged once, over all gateways, for a day; a repeat gets
// the same bytes or a clear refusal, never a second charge. Clearing the log forgets no request of the last day.
import { describe, expect, test } from "vitest";
import type { ServiceContext } from "@/lib/context";
import { sweepKeys } from "@/lib/relay/pipeline/idempotency/commands";
import { settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { deleteClearedLogs, deleteLogs } from "@/lib/usage-log/commands";
import { type Answer, chatBody, setUpRelay, until } from "../relay/harness";

const MODELS = "gpt-4.1,gpt-4.1:delay=1500,gpt-4.1:chunks=9000,fake-error-500,fake-cut,gpt-4.1:chunks=500:pace=5";
const relay = setUpRelay({ prices: MODELS, channels: [{ models: MODELS }] });
const key = (text: string): Record<string, string> => ({ "idempotency-key": text });

async function charges(user: number): Promise<number> {
  return (await relay.logsOf(user)).filter(({ type }) => type === 2).length;
}

describe("an Idempotency-Key", () => {
  test.each([false, true])(
    "a repeat gets the bytes of the first answer and is charged once (streamed: %s)",
    async (stream) => {
      const { user, token } = await relay.addCaller();
      const body = chatBody("gpt-4.1", { stream });
      const asked = relay.upstream.requests.length;
      const first = await relay.post(token.key, body, key("order-1"));
      const again = await relay.post(token.key, body, key("order-1"));
      expect([again.status, again.text]).toEqual([200, first.text]);
      for (const name of ["content-type", "x-oneapi-request-id"]) {
        expect(again.headers.get(name)).toBe(first.headers.get(name));
      }
      expect([first.headers.get("idempotent-replayed"), again.headers.get("idempotent-replayed")]).toEqual([
        null,
        "true",
      ]);
      expect(relay.upstream.requests.length).toBe(asked + 1);
      expect(await charges(user)).toBe(1);
      expect((await relay.post(token.key, body, key("order-2"))).status).toBe(200);
      expect((await relay.post(token.key, body)).status).toBe(200);
      expect(await charges(user)).toBe(3);
    },
  );

  test("of twenty at once on two gateways one is served, the others are told to wait", async () => {
    const { user, token } = await relay.addCaller();
    const beside = await relay.startBeside();
    const body = chatBody("gpt-4.1:delay=1500");
    const answers: Answer[] = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? relay : beside).post(token.key, body, key("k"))),
    );
    await beside.gateway.stop();
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const others = answers.filter(({ status }) => status !== 200);
    expect(new Set(others.map(({ status, wire }) => `${status} ${wire.error.code}`))).toEqual(
      new Set(["409 idempotency_request_running"]),
    );
    expect(others[0]?.headers.get("retry-after")).toBe("1");
    expect(await charges(user)).toBe(1);
  });

  test("another body, path or unreadable key is refused; the key of another token is another key", async () => {
    const { user, token } = await relay.addCaller();
    const other = await relay.addToken(user);
    await relay.post(token.key, chatBody("gpt-4.1"), key("k"));
    const reused = await relay.post(token.key, chatBody("gpt-4.1", { seed: 1 }), key("k"));
    expect([reused.status, reused.wire.error.code]).toEqual([422, "idempotency_key_reused"]);
    expect((await relay.post(other.key, chatBody("gpt-4.1", { seed: 1 }), key("k"))).status).toBe(200);
    for (const text of ["x".repeat(256), "a b", ""]) {
      expect((await relay.post(token.key, chatBody("gpt-4.1"), key(text))).status).toBe(400);
    }
    expect(await charges(user)).toBe(2);
  });

  test("what cost nothing may be asked again, what was charged and not kept may not", async () => {
    const { user, token } = await relay.addCaller();
    const failing = chatBody("fake-error-500");
    const statuses = [];
    for (let i = 0; i < 2; i++) statuses.push((await relay.post(token.key, failing, key("failed"))).status);
    expect(statuses).toEqual([500, 500]);
    const poor = await relay.addCaller({ balance: 1 });
    for (let i = 0; i < 2; i++) {
      expect((await relay.post(poor.token.key, chatBody("gpt-4.1"), key("poor"))).status).toBe(429);
    }
    // Some 1.5 MB of frames.
    const long = chatBody("gpt-4.1:chunks=9000", { stream: true });
    expect((await relay.post(token.key, long, key("long"))).status).toBe(200);
    const cut = chatBody("fake-cut", { stream: true });
    await relay.post(token.key, cut, key("cut")).catch(() => null);
    for (const [body, name] of [
      [long, "long"],
      [cut, "cut"],
    ] as const) {
      const again = await relay.post(token.key, body, key(name));
      expect([again.status, again.wire.error.code]).toEqual([409, "idempotency_answer_not_kept"]);
    }
    expect(await charges(user)).toBe(2);
  });

  test("a caller who hung up is not charged again", async () => {
    const { user, token } = await relay.addCaller();
    const body = chatBody("gpt-4.1:chunks=500:pace=5", { stream: true });
    const abort = new AbortController();
    const response = await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json", ...key("left") },
      body,
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    await until(async () => (await charges(user)) === 1, 10_000);
    await until(async () => {
      const again = await relay.post(token.key, body, key("left"));
      return again.wire.error.code === "idempotency_answer_not_kept";
    }, 10_000);
    expect(await charges(user)).toBe(1);
  });

  test("after a day the key is free again; a gateway that died in between leaves it taken", async () => {
    const { user, token } = await relay.addCaller();
    const body = chatBody("gpt-4.1");
    await relay.post(token.key, body, key("old"));
    const { sql } = relay.database;
    await sql`update idempotency_keys set state = 'running', node_id = gen_random_uuid() where user_id = ${user}`;
    const lost = await relay.post(token.key, body, key("old"));
    expect([lost.status, lost.wire.error.code]).toEqual([409, "idempotency_answer_lost"]);
    await sql`update idempotency_keys set created_at = created_at - 86401 where user_id = ${user}`;
    expect((await relay.post(token.key, body, key("old"))).status).toBe(200);
    expect(await charges(user)).toBe(2);
    await sql`update idempotency_keys set created_at = created_at - 86401 where user_id = ${user}`;
    expect(await sweepKeys(sql)).toBe(1);
  });

  test("who uses too many keys in a day is refused before anything is charged", async () => {
    const { user, token } = await relay.addCaller();
    await relay.database.sql`
      insert into idempotency_keys (user_id, token_id, key_hash, body_hash, request_id, node_id)
      select ${user}, 0, i::text, '', '', gen_random_uuid() from generate_series(1, 10000) as i`;
    const refused = await relay.post(token.key, chatBody("gpt-4.1"), key("one more"));
    expect(refused.status).toBe(400);
    const full = await relay.post(token.key, chatBody("gpt-4.1"), key("one-more"));
    expect([full.status, full.wire.error.code]).toEqual([429, "idempotency_too_many_keys"]);
    expect(await charges(user)).toBe(0);
  });
});

describe("clearing the log", () => {
  test("a settlement of the last day that is sent again is not charged again, and its row is gone a day later", async () => {
    const user = await relay.addUser();
    const billing = await startBillingProcess(relay.database.url);
    const createdAt = Math.floor(Date.now() / 1000) - 3_600;
    const settlement = settlementOf({ userId: user, quota: 70, createdAt, content: "private", clientIp: "10.1.2.3" });
    await billing.settler.settle(settlement);
    const { sql, db } = relay.database;
    const ctx: ServiceContext = { db, sql, actor: { type: "job", name: "test" }, clientIp: "" };
    await deleteLogs(ctx, createdAt + 1_000);
    const rows = await sql`select hidden, content, client_ip, other from usage_logs where user_id = ${user}`;
    expect(rows).toEqual([{ hidden: true, content: "", client_ip: "", other: {} }]);
    await billing.settler.settle({ ...settlement });
    expect((await relay.balanceOf(user)).used).toBe(70);
    await deleteClearedLogs(sql);
    expect(await relay.logsOf(user)).toHaveLength(1);
    await deleteClearedLogs(sql, 0);
    expect(await relay.logsOf(user)).toEqual([]);
    await billing.stop();
  });
});
