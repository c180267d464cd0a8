import { randomUUID } from "node:crypto";
import { eq } from "drizzle-orm";
import OpenAI, { toFile } from "openai";
import { createDatabase } from "@/db/client";
import { redemptions, tokens } from "@/db/schema";
import { addChannelCharges } from "@/lib/billing/channel-charge-commands";
import { createLeaseStore } from "@/lib/billing/lease-queries";
import { listPending } from "@/lib/billing/pending-queries";
import { keepRefused, retryRefused } from "@/lib/billing/refused-commands";
import { retireNode } from "@/lib/billing/retire-commands";
import { createSettlementStore } from "@/lib/billing/settlement-batch";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { createSweepStore } from "@/lib/billing/sweep";
import { pollOpen } from "@/lib/jobs/poll-open-charges";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { redeem } from "@/lib/redemption/commands";
import { sweepObjects } from "@/lib/relay/base/upstream-objects/commands";
import { sweepKeys } from "@/lib/relay/pipeline/idempotency/commands";
import { pollTasks } from "@/lib/relay/side/tasks/poll-tasks";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { completed } from "@/lib/testing/fake-storage-responses";
import { startTaskProxies } from "@/lib/testing/fake-task-proxies";
import { settlementOf } from "@/lib/testing/settlement";
import { createOrder, creditOrder, expireOrders } from "@/lib/topup/order-commands";
import { bookReversal } from "@/lib/topup/reversal-commands";
import { type Relay, startRelay } from "../relay/harness";

const BACKGROUND = "gpt-4.1";
/** As the worker's connections are called; those of the test itself have other names. */
export const WORKER = "weir-worker";

/** Does everything once that charges, reserves, refunds or credits, on connections named as those of the product. */
export async function runPayingPath(): Promise<Relay> {
  const relay = await startRelay({ channels: [{}], prices: `fake-gpt,fake-error-500,${BACKGROUND}` });
  const storage = await startFakeStorage();
  try {
    await callForAnswers(relay);
    await makeTasks(relay);
    await leaveOpen(relay, storage);
    await doWorkersJobs(relay);
    await creditAccounts(relay);
    return relay;
  } finally {
    await storage.close();
  }
}

async function callForAnswers(relay: Relay): Promise<void> {
  const limits = { unlimitedQuota: false, grantedQuota: 100_000, remainQuota: 100_000, budgetDay: 90_000 };
  const { token } = await relay.addCaller({ budgetMonth: 90_000, requestsPerMinute: 100 }, limits);
  const chat = (more: object, headers: Record<string, string> = {}) =>
    send(relay, token.key, { model: "fake-gpt", messages: [{ role: "user", content: "Hello" }], ...more }, headers);
  await chat({});
  await chat({ stream: true });
  await chat({ model: "fake-error-500" });
  // The first is answered, the second gets its answer.
  await chat({ max_tokens: 50 }, { "idempotency-key": "once" });
  await chat({ max_tokens: 50 }, { "idempotency-key": "once" });
  await send(relay, token.key, undefined, {}, "/v1/dashboard/billing/subscription");
  const spent = { unlimitedQuota: false, grantedQuota: 1, remainQuota: 1 };
  await send(relay, (await relay.addCaller({}, spent)).token.key, { model: "fake-gpt", messages: [] });
  const poor = await relay.addCaller({}, { ...spent, remainQuota: 0, grantedQuota: 0 });
  await send(relay, poor.token.key, { model: "fake-gpt", messages: [{ role: "user", content: "Hello" }] });
  const late = await relay.addCaller({}, { expiredTime: 1 });
  await send(relay, late.token.key, { model: "fake-gpt", messages: [{ role: "user", content: "Hello" }] });
}

async function send(relay: Relay, key: string, body: unknown, headers: object = {}, path = "/v1/chat/completions") {
  const response = await fetch(relay.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return await response.text();
}

async function makeTasks(relay: Relay): Promise<void> {
  const proxies = await startTaskProxies();
  try {
    await relay.addChannel({ type: CHANNEL_TYPE.midjourneyPlus, baseUrl: proxies.url, models: "mj_imagine" });
    await relay.inForce();
    const { token } = await relay.addCaller({}, { unlimitedQuota: false, grantedQuota: 200_000, remainQuota: 200_000 });
    const ids: string[] = [];
    for (const status of ["FAILURE", "SUCCESS"]) {
      const answer = await send(relay, token.key, { prompt: "a weir" }, {}, "/mj/submit/imagine");
      ids.push(String((JSON.parse(answer) as { result: string }).result));
      proxies.tell({ status, imageUrl: "http://127.0.0.1/picture.png" }, proxies.last()?.id);
    }
    await asWorker(relay, ({ sql }) => pollTasks(sql));
    for (const id of ids) {
      await send(relay, token.key, undefined, {}, `/mj/task/${id}/fetch`);
      await fetch(`${relay.url}/mj/image/${id}`).then((response) => response.arrayBuffer());
    }
  } finally {
    await proxies.close();
  }
}

async function leaveOpen(relay: Relay, storage: FakeStorage): Promise<void> {
  const setting = '{"speaks_responses":true}';
  await relay.addChannel({ baseUrl: storage.url, setting, models: BACKGROUND, key: "key-a" });
  await relay.inForce();
  const limits = { unlimitedQuota: false, grantedQuota: 500_000, remainQuota: 500_000 };
  const { token } = await relay.addCaller({}, limits);
  const openai = new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const request = { model: BACKGROUND, input: "Hello", background: true, max_output_tokens: 1_000 };
  for (const _ of [1, 2]) {
    const { id } = await openai.responses.create(request);
    storage.endResponse(id, completed(id, 30, 40));
    if (_ === 1) await openai.responses.retrieve(id);
  }
  await relay.database.sql`update open_charges set next_poll_at = 0`;
  await asWorker(relay, ({ sql }) => pollOpen(sql));
  const body = { model: BACKGROUND, messages: [{ role: "user", content: "Hello" }], max_tokens: 10 };
  const line = JSON.stringify({ custom_id: "1", method: "POST", url: "/v1/chat/completions", body });
  const file = await openai.files.create({ file: await toFile(Buffer.from(line), "in.jsonl"), purpose: "batch" });
  await openai.files.list();
  await openai.batches.create({ input_file_id: file.id, endpoint: "/v1/chat/completions", completion_window: "24h" });
  await openai.files.delete(file.id);
}

type Database = ReturnType<typeof createDatabase>;

async function asWorker<Result>(relay: Relay, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = createDatabase({ url: relay.database.url, max: 2, applicationName: WORKER });
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

/** What is left of dead processes, what the database has refused, and what is over its time. */
async function doWorkersJobs(relay: Relay): Promise<void> {
  const { user, token } = await relay.addCaller({}, { unlimitedQuota: false, grantedQuota: 9_000, remainQuota: 9_000 });
  const [{ channel = 0 } = {}] = await relay.database.sql<
    { channel: number }[]
  >`select min(id) as channel from channels`;
  const charge = (quota: number) =>
    encodeSettlement(settlementOf({ userId: user, tokenId: token.id, channelId: channel, quota }));
  await asWorker(relay, async ({ sql }) => {
    const store = createLeaseStore(sql);
    const nodeId = randomUUID();
    await store.heartbeat(nodeId, "dead");
    for (const tokenId of [0, token.id]) {
      await store.acquire(nodeId, { userId: user, tokenId }, { needed: 500, wanted: 500, whole: 500, spare: 0 });
      await store.trim(nodeId, { userId: user, tokenId }, 300);
    }
    await store.leasesOf(nodeId);
    await createSweepStore(sql).heartbeats();
    await retireNode(sql, nodeId, [charge(20)], [charge(30)]);
    await keepRefused(sql, charge(40), { code: "22003", message: "out of range" });
    await listPending(sql, "/nonexistent");
    await retryRefused(sql, createSettlementStore(sql));
    await keepRefused(sql, { ...charge(50), json: "{" }, { code: "22003", message: "out of range" });
    await retryRefused(sql, createSettlementStore(sql));
    await addChannelCharges(sql);
    await sweepKeys(sql);
    await sweepObjects(sql);
  });
  // It was never booked: only its row says so.
  await relay.database.sql`delete from refused_settlements`;
}

async function creditAccounts(relay: Relay): Promise<void> {
  const user = await relay.addUser();
  const { db } = relay.database;
  await db.insert(redemptions).values({ userId: 1, key: "a".repeat(32), name: "code", quota: 700 });
  await asWorker(relay, async ({ db, sql }) => {
    const payable = { cents: 1_000, quota: 5_000 } as never;
    const order = { userId: user, amount: 1, payable, currency: "usd", provider: "stripe", method: "stripe" } as const;
    const tradeNo = await createOrder(db, order);
    await creditOrder(db, { tradeNo, provider: "stripe", cents: 1_000, currency: "usd", paymentReference: "pi_1" });
    const refund = { reversalId: "re_1", kind: "refund", state: "final", cents: 500, currency: "usd" } as const;
    await bookReversal(db, { ...refund, provider: "stripe", tradeNo, eventId: "evt_1" } as never);
    await expireOrders(db);
    const actor = { type: "user", id: user, username: "user", role: 1, group: "default", via: "session" } as const;
    await redeem({ db, sql, actor, clientIp: "" } as never, { key: "a".repeat(32) });
    await db.select({ id: tokens.id }).from(tokens).where(eq(tokens.userId, user));
  });
}
