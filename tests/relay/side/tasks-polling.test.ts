// Who: channels that hang, that are broken, or that tell nonsense about their tasks.
// What must hold: the tasks of all others go on, and nothing is refunded for one wrong answer.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { seal } from "@/lib/crypto";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { storeState } from "@/lib/relay/operations/tasks/end-task";
import { boundState } from "@/lib/relay/operations/tasks/new-task";
import { setUpTasks } from "../tasks-harness";

const { relay, ask, rowsOf, poll } = setUpTasks();
const PRICE = 50_000;
let asked = 0;
const silent = createServer((request) => {
  request.resume();
  asked += 1;
});
let silentId = 0;
beforeAll(async () => {
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  silentId = await relay.addChannel({ type: CHANNEL_TYPE.midjourneyPlus, baseUrl, models: "none" });
});
afterAll(() => {
  silent.closeAllConnections();
  silent.close();
});

async function drawn() {
  const { user, token } = await relay.addCaller();
  expect((await ask(token.key, "/mj/submit/imagine", { prompt: "x" })).status).toBe(200);
  const [row] = await rowsOf(user);
  return { user, id: row?.id ?? 0, upstreamId: row?.upstreamId ?? "" };
}

/** So many tasks, each of an account of its own, that have waited longer than all others. */
const addSilent = (count: number) => relay.database.sql`
  insert into tasks (created_at, updated_at, task_id, platform, wire, action, user_id, channel_id, key_hash, upstream_id,
    request_id, status, submit_time, expires_time, polled_time)
  select 1, 1, 'silent-' || n, 'mj', 'mj', 'IMAGINE', 0, ${silentId}, 'account ' || n, 'up', 'silent-' || n, 'SUBMITTED',
    ${Date.now()}, ${Date.now() + 3_600_000}, -1
  from generate_series(1, ${count}::int) as n`;

test("a channel that hangs, with many tasks, holds up no other, and is not asked about each of them", async () => {
  await addSilent(300);
  const { user, upstreamId } = await drawn();
  relay.proxies.tell({ status: "SUCCESS" }, upstreamId);
  asked = 0;
  await poll({ timeoutMs: 300, tasksMax: 100 });
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS" }]);
  expect(asked).toBeLessThanOrEqual(10);
  await relay.database.sql`delete from tasks where channel_id = ${silentId}`;
});

test("a channel whose key cannot be read, and a task that cannot be ended, hold up no other", async () => {
  await addSilent(1);
  const { sql } = relay.database;
  const [kept] = await sql<{ cipher: string }[]>`select key_cipher as cipher from channels where id = ${silentId}`;
  await sql`update channels set key_cipher = 'broken' where id = ${silentId}`;
  const { user, upstreamId } = await drawn();
  const stuck = await drawn();
  // Its channel is gone, and its refund breaks.
  await sql`insert into task_movements (reference, task, user_id, amount)
    values (${`end:${stuck.id}`}, ${stuck.id}, ${stuck.user}, 0)`;
  await sql`update tasks set channel_id = 999999, polled_time = -2 where id = ${stuck.id}`;
  relay.proxies.tell({ status: "SUCCESS" }, upstreamId);
  await poll();
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS" }]);
  expect(await rowsOf(stuck.user)).toMatchObject([{ status: "SUBMITTED", quota: PRICE }]);
  await sql`update channels set key_cipher = ${kept?.cipher ?? ""} where id = ${silentId}`;
  await sql`delete from task_movements where reference = ${`end:${stuck.id}`}`;
  await sql`delete from tasks where channel_id = ${silentId}`;
});

test("one answer that knows none of the tasks refunds nothing", async () => {
  const { user, upstreamId } = await drawn();
  relay.proxies.behaviour.poll = () => ({ status: 200, body: [] });
  await poll({ now: () => Date.now() + 400_000 });
  expect(await rowsOf(user)).toMatchObject([{ status: "SUBMITTED", quota: PRICE }]);
  relay.proxies.behaviour.poll = null;
  relay.proxies.tell({ status: "SUCCESS" }, upstreamId);
  await poll();
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS", quota: PRICE }]);
});

test("a key that was switched off is asked about what it has made", async () => {
  const { sql } = relay.database;
  const { user, id, upstreamId } = await drawn();
  const [{ channel = 0 } = {}] = await sql<
    { channel: number }[]
  >`select channel_id as channel from tasks where id = ${id}`;
  await sql`
    insert into channel_keys (channel_id, fingerprint, key_cipher, status)
    values (${channel}, 'a', ${seal("good-key")}, 3), (${channel}, 'b', ${seal("other-key")}, 1)`;
  relay.proxies.tell({ status: "SUCCESS" }, upstreamId);
  await poll();
  expect(relay.proxies.seen.at(-1)?.key).toBe("good-key");
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS" }]);
  await sql`delete from channel_keys where channel_id = ${channel}`;
  await relay.inForce();
});

test("usage that no task can have had changes no charge", async () => {
  const { user, id } = await drawn();
  const [row] = await relay.database.sql<{ price: object }[]>`select price from tasks where id = ${id}`;
  const price = { ...row?.price, modelPrice: null, metersOnly: true, meterPrices: { second: 0.02 } };
  const meters = [{ meter: "second", quantity: 5 }];
  await relay.database.sql`
    update tasks set price = ${JSON.stringify(price)}::text::jsonb, meters = ${JSON.stringify(meters)}::text::jsonb
    where id = ${id}`;
  const again = () => relay.database.sql`update tasks set status = 'SUBMITTED' where id = ${id}`;
  for (const quantity of [5_000, 1e300, Number.POSITIVE_INFINITY, Number.NaN, -5, 0]) {
    await storeState(
      relay.database.sql,
      { id, userId: user },
      { status: "SUCCESS", usage: [{ meter: "second", quantity }] },
      true,
    );
    await again();
  }
  await storeState(relay.database.sql, { id, userId: user }, { status: "SUCCESS", usage: [] }, true);
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS", quota: PRICE }]);
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - PRICE, used: PRICE });
});

test("what cannot be kept of a state is left out, and does not keep the task from ending", () => {
  let deep: unknown[] = [];
  for (let n = 0; n < 100_000; n++) deep = [deep];
  expect(boundState({ status: "SUCCESS", data: { deep } }, (text) => text)).toMatchObject({ data: null });
  const digits = (text: string) => text.replaceAll("123456", "[redacted]");
  expect(boundState({ status: "SUCCESS", data: { n: 123456 } }, digits)).toMatchObject({ data: null });
  const results = ["https://cdn.example/v?key=123456", "https://cdn.example/v"];
  expect(boundState({ status: "SUCCESS", results }, digits).results).toEqual(["https://cdn.example/v"]);
});
