// The life of a task: charged with its row, ended once, refunded or adjusted in the same transaction.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { storeState } from "@/lib/relay/operations/tasks/end-task";
import { until } from "../harness";
import { setUpTasks } from "../tasks-harness";

// The address that a caller gives for news is on this machine.
vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");
const { relay, ask, rowsOf, poll } = setUpTasks();
/** $0.1 */
const PRICE = 50_000;
const imagine = { prompt: "a weir at dawn" };

async function drawn(balance = 1_000_000, ofToken = {}) {
  const { user, token } = await relay.addCaller({ balance }, ofToken);
  const { json, status } = await ask(token.key, "/mj/submit/imagine", imagine);
  expect([status, json.code]).toEqual([200, 1]);
  const taskId = String(json.result);
  return { user, token, taskId, upstreamId: relay.proxies.last()?.id ?? "" };
}

const hoursDiffer = async () => {
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
  return (await reconcileHours(relay.database.sql, [{ from: hour - 3_600, until: hour + 3_600 }])).differences;
};

test("a task is charged when it is taken, with its row, and known by an id of ours", async () => {
  const { user, taskId, upstreamId } = await drawn();
  expect(taskId).toMatch(/^[0-9A-Za-z]{32}$/);
  expect(await rowsOf(user)).toMatchObject([
    {
      taskId,
      upstreamId,
      platform: "mj",
      action: "IMAGINE",
      status: "SUBMITTED",
      quota: PRICE,
      prompt: imagine.prompt,
    },
  ]);
  expect(await relay.logsOf(user)).toMatchObject([{ type: 2, quota: PRICE, model: "mj_imagine" }]);
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - PRICE, used: PRICE });
});

test("a task that fails is refunded once to user, token and counters, however often it is told", async () => {
  const { user, token, taskId, upstreamId } = await drawn(1_000_000, {
    unlimitedQuota: false,
    grantedQuota: PRICE,
    remainQuota: PRICE,
  });
  relay.proxies.tell({ status: "FAILURE", failReason: "banned good-key words", progress: "40%" }, upstreamId);
  await Promise.all([poll(), poll(), poll()]);
  const [row] = await rowsOf(user);
  expect(row).toMatchObject({ status: "FAILURE", progress: "100%", quota: 0 });
  expect(row?.failReason).toBe("banned [redacted] words");
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  const [ofToken] = await relay.database.sql`
    select remain_quota as remain, used_quota as used, status from tokens where id = ${token.id}`;
  expect(ofToken).toEqual({ remain: PRICE, used: 0, status: 1 });
  const [, refund, ...more] = await relay.logsOf(user);
  expect(more).toEqual([]);
  expect(refund).toMatchObject({ type: 4, quota: -PRICE, other: { event: "taskRefunded", task: taskId } });
  expect(
    await relay.database.sql`
    select reference, amount from task_movements where user_id = ${user} order by amount desc`,
  ).toMatchObject([{ amount: PRICE }, { amount: -PRICE, reference: `end:${row?.id}` }]);
  expect(await storeState(relay.database.sql, { id: row?.id ?? 0, userId: user }, { status: "SUCCESS" }, true)).toBe(
    false,
  );
  expect(await hoursDiffer()).toEqual([]);
});

test("a task that succeeds keeps its charge, and its caller sees what was made", async () => {
  const { user, token, taskId, upstreamId } = await drawn();
  relay.proxies.tell(
    { status: "SUCCESS", progress: "100%", imageUrl: `${relay.proxies.url}/picture.png`, buttons: [{ customId: "x" }] },
    upstreamId,
  );
  await poll();
  expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS", quota: PRICE }]);
  const { json } = await ask(token.key, `/mj/task/${taskId}/fetch`);
  expect(json).toMatchObject({ id: taskId, status: "SUCCESS", progress: "100%", buttons: [{ customId: "x" }] });
  expect(json.imageUrl).toMatch(new RegExp(`/mj/image/${taskId}$`));
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - PRICE, used: PRICE });
});

test("what a provider reports adjusts the charge up, into debt where the balance does not carry it, and down", async () => {
  const { user } = await drawn(PRICE);
  const [row] = await rowsOf(user);
  const price = { ...(await priceOf(row?.id ?? 0)), modelPrice: null, metersOnly: true, meterPrices: { second: 0.1 } };
  await relay.database.sql`update tasks set price = ${JSON.stringify(price)}::text::jsonb where id = ${row?.id ?? 0}`;
  await storeState(
    relay.database.sql,
    { id: row?.id ?? 0, userId: user },
    { status: "SUCCESS", usage: [{ meter: "second", quantity: 3 }] },
    true,
  );
  expect(await rowsOf(user)).toMatchObject([{ quota: 3 * PRICE }]);
  expect(await relay.balanceOf(user)).toEqual({ quota: -2 * PRICE, used: 3 * PRICE });
  expect((await relay.logsOf(user))[1]).toMatchObject({
    type: 4,
    quota: 2 * PRICE,
    other: { beyond_reservation: 2 * PRICE },
  });
  expect(await hoursDiffer()).toEqual([]);
});

async function priceOf(id: number): Promise<object> {
  const [row] = await relay.database.sql<{ price: object }[]>`select price from tasks where id = ${id}`;
  return row?.price ?? {};
}

describe("submissions that end badly", () => {
  test("a proxy that breaks off may have taken the task: no other is asked, and nothing is charged", async () => {
    const models = "mj_imagine";
    const beside = { type: CHANNEL_TYPE.midjourneyPlus, baseUrl: relay.proxies.url, models };
    const id = await relay.addChannel(beside);
    await relay.setOption("RetryTimes", "3");
    await relay.inForce();
    const { user, token } = await relay.addCaller();
    const before = relay.proxies.seen.length;
    relay.proxies.behaviour.submit = () => "destroy";
    expect((await ask(token.key, "/mj/submit/imagine", imagine)).status).toBe(502);
    expect(relay.proxies.seen.length).toBe(before + 1);
    relay.proxies.behaviour.submit = () => ({ status: 504, body: { description: "waited too long" } });
    expect((await ask(token.key, "/mj/submit/imagine", imagine)).status).toBe(504);
    expect(relay.proxies.seen.length).toBe(before + 2);
    relay.proxies.behaviour.submit = () => ({ status: 500, body: { description: "broken" } });
    expect((await ask(token.key, "/mj/submit/imagine", imagine)).status).toBe(500);
    expect(relay.proxies.seen.length).toBe(before + 3);
    relay.proxies.behaviour.submit = () => ({ status: 503, body: { description: "overloaded" } });
    expect((await ask(token.key, "/mj/submit/imagine", imagine)).status).toBe(503);
    expect(relay.proxies.seen.length).toBeGreaterThan(before + 4);
    expect(await rowsOf(user)).toEqual([]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
    await relay.database.sql`delete from channels where id = ${id}`;
    await relay.inForce();
  });

  test("a caller that leaves before the answer has a task all the same, and pays for it", async () => {
    const { user, token } = await relay.addCaller();
    let answered: (() => void) | null = null;
    const slow = createServer((request, response) => {
      request.resume();
      answered = () => response.end(JSON.stringify({ code: 1, description: "ok", result: "up-late" }));
    });
    await new Promise<void>((done) => slow.listen(0, "127.0.0.1", () => done()));
    const baseUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const id = await relay.addChannel({
      type: CHANNEL_TYPE.midjourneyPlus,
      baseUrl,
      models: "mj_imagine",
      priority: 9,
    });
    await relay.inForce();
    const leaving = new AbortController();
    const headers = { "content-type": "application/json", authorization: `Bearer ${token.key}` };
    const asked = fetch(`${relay.url}/mj/submit/imagine`, {
      method: "POST",
      headers,
      body: JSON.stringify(imagine),
      signal: leaving.signal,
    }).catch(() => null);
    await until(() => answered !== null);
    leaving.abort();
    await asked;
    (answered as (() => void) | null)?.();
    await until(async () => (await rowsOf(user)).length > 0);
    expect(await rowsOf(user)).toMatchObject([{ upstreamId: "up-late", quota: PRICE }]);
    expect((await relay.balanceOf(user)).used).toBe(PRICE);
    slow.close();
    await relay.database.sql`delete from channels where id = ${id}`;
    await relay.inForce();
  });

  test("a balance for three tasks takes three of twenty that come at once", async () => {
    const { user, token } = await relay.addCaller({ balance: 3 * PRICE });
    const asked = Array.from({ length: 20 }, () => ask(token.key, "/mj/submit/imagine", imagine));
    const codes = (await Promise.all(asked)).map(({ status }) => status);
    expect(codes.filter((status) => status === 200)).toHaveLength(3);
    expect(await rowsOf(user)).toHaveLength(3);
    expect(await relay.balanceOf(user)).toEqual({ quota: 0, used: 3 * PRICE });
  });

  test("a repeat with the same Idempotency-Key gets the same task", async () => {
    const { user, token } = await relay.addCaller();
    const headers = {
      "content-type": "application/json",
      authorization: `Bearer ${token.key}`,
      "idempotency-key": "once",
    };
    const send = async () => {
      const init = { method: "POST", headers, body: JSON.stringify(imagine) };
      return (await fetch(`${relay.url}/mj/submit/imagine`, init)).text();
    };
    expect(await send()).toBe(await send());
    expect(await rowsOf(user)).toHaveLength(1);
  });
});

describe("upstreams that do not tell how a task ended", () => {
  test.each<[string, { status: number; type?: string; body: unknown } | "destroy"]>([
    ["a page", { status: 200, type: "text/html", body: "<html>" }],
    ["an error", { status: 500, body: { description: "down" } }],
    ["a refused key", { status: 401, body: {} }],
    ["an object", { status: 200, body: { tasks: [] } }],
    ["a closed connection", "destroy"],
  ])("%s: the task goes on, and has failed after its time", async (_name, odd) => {
    const { user } = await drawn();
    relay.proxies.behaviour.poll = () => odd;
    await poll();
    expect(await rowsOf(user)).toMatchObject([{ status: "SUBMITTED", quota: PRICE }]);
    await poll({ now: () => Date.now() + 3_700_000 });
    expect(await rowsOf(user)).toMatchObject([
      { status: "FAILURE", quota: 0, failReason: expect.stringContaining("in time") },
    ]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  });

  test("a task that the upstream does not know has failed after five minutes, not before", async () => {
    const { user, upstreamId } = await drawn();
    relay.proxies.tasks.delete(upstreamId);
    await poll();
    expect((await rowsOf(user))[0]?.status).toBe("SUBMITTED");
    await poll({ now: () => Date.now() + 301_000 });
    expect(await rowsOf(user)).toMatchObject([{ status: "FAILURE", failReason: expect.stringContaining("know") }]);
  });

  test("a channel that is gone fails its tasks at once; one whose key was replaced is asked with the new one", async () => {
    const models = "mj_imagine";
    const given = { type: CHANNEL_TYPE.midjourneyPlus, baseUrl: relay.proxies.url, models, priority: 9 };
    const id = await relay.addChannel(given);
    await relay.inForce();
    const [one, two] = [await drawn(), await drawn()];
    expect((await rowsOf(one.user))[0]?.channelId).toBe(id);
    await relay.database.sql`update tasks set key_hash = 'of a key from before' where channel_id = ${id}`;
    relay.proxies.tell({ status: "SUCCESS", progress: "100%" }, one.upstreamId);
    await poll();
    expect((await rowsOf(one.user))[0]?.status).toBe("SUCCESS");
    await relay.database.sql`delete from channels where id = ${id}`;
    await poll();
    expect(await rowsOf(two.user)).toMatchObject([{ status: "FAILURE", quota: 0 }]);
    expect(await relay.balanceOf(two.user)).toEqual({ quota: 1_000_000, used: 0 });
    await relay.inForce();
  });

  test("odd states are kept within bounds, and one of them holds up no other", async () => {
    const [odd, good] = [await drawn(), await drawn()];
    relay.proxies.tell(
      {
        status: "SUCCESS\u0000",
        progress: "9".repeat(500),
        failReason: 5,
        imageUrl: "javascript:alert(1)",
        finishTime: 1e300,
        buttons: "x".repeat(400_000),
        promptEn: "a\u0000b",
      },
      odd.upstreamId,
    );
    relay.proxies.tell({ status: "SUCCESS" }, good.upstreamId);
    await poll();
    expect((await rowsOf(good.user))[0]?.status).toBe("SUCCESS");
    expect(await rowsOf(odd.user)).toMatchObject([{ status: "IN_PROGRESS", results: [], data: null }]);
    relay.proxies.tell({ status: "FAILURE", failReason: "no\u0000 reason" }, odd.upstreamId);
    await poll();
    expect(await rowsOf(odd.user)).toMatchObject([{ status: "FAILURE", quota: 0 }]);
  });

  test("what is told after the end changes nothing", async () => {
    const { user, upstreamId } = await drawn();
    relay.proxies.tell({ status: "SUCCESS" }, upstreamId);
    await poll();
    relay.proxies.tell({ status: "FAILURE", failReason: "late" }, upstreamId);
    await poll({ now: () => Date.now() + 3_700_000 });
    expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS", quota: PRICE }]);
  });
});

test("tasks of an account are asked about together, and news go to the address that the caller gave", async () => {
  const news: unknown[] = [];
  const listener = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += part;
    news.push(JSON.parse(text));
    response.end();
  });
  await new Promise<void>((done) => listener.listen(0, "127.0.0.1", () => done()));
  await relay.setOption("MjNotifyEnabled", "true");
  await relay.inForce();
  const { token } = await relay.addCaller();
  const notifyHook = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
  const { json } = await ask(token.key, "/mj/submit/imagine", { ...imagine, notifyHook });
  expect(relay.proxies.seen.at(-1)?.body).toEqual(imagine);
  await ask(token.key, "/mj/submit/imagine", imagine);
  const before = relay.proxies.seen.length;
  relay.proxies.tell({ status: "SUCCESS" });
  await poll();
  expect(relay.proxies.seen.length).toBe(before + 1);
  expect(news).toMatchObject([{ id: json.result, status: "SUCCESS" }]);
  listener.close();
});
