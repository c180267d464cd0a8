// The life of a task: charged with its row, ended once, refunded or adjusted in the same transaction.
import { expect, test } from "vitest";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { storeState } from "@/lib/relay/tasks/end-task";
import { setUpTasks } from "./tasks-harness";

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
  expect(await storeState(relay.database.sql, row?.id ?? 0, { status: "SUCCESS" }, true)).toBe(false);
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
    row?.id ?? 0,
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
