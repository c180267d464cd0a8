// Who: an operator whose worker or gateway is killed with -9, again and again, while tasks are taken and end.
// What must hold: each task has its charge and each charge its task; each ends once, charged once or refunded once.
// WEIR_TASKS and WEIR_KILLS make it larger; lib/relay/operations/tasks/README.md has the figures of a large run.
import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { startDatabaseProxy } from "@/lib/testing/database-proxy";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "../relay/harness";
import { setUpTasks } from "../relay/tasks-harness";
import { readJournals, startGatewayProcess } from "./gateway-process";

const TASKS = Number(process.env.WEIR_TASKS ?? 60);
const KILLS = Number(process.env.WEIR_KILLS ?? 3);
/** $0.1 for drawings and songs alike. */
const PRICE = 50_000;
const { relay, ask, rowsOf } = setUpTasks();
const entry = setUpBundle(["gateway", "worker"]);
const journal = createRunFolder("journal");
afterAll(() => rmSync(journal, { recursive: true }));

function startWorker() {
  const env = { ...process.env, DATABASE_URL: relay.database.url, WEIR_LOG_LEVEL: "silent" };
  const child = fork(entry("worker"), { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"], env });
  return {
    async kill() {
      const exited = once(child, "exit");
      child.kill("SIGKILL");
      await exited;
      // The lock of a job goes with its connection; a worker that finds it taken waits for its next turn.
      await until(async () => (await connectionsOfWorkers()) === 0, 10_000);
    },
  };
}

async function connectionsOfWorkers(): Promise<number> {
  const [row] = await relay.database.sql<{ count: number }[]>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name like 'weir-worker%'`;
  return row?.count ?? 0;
}

async function countEnded(): Promise<number> {
  const [row] = await relay.database.sql<{ count: number }[]>`
    select count(*)::int as count from tasks where status in ('SUCCESS', 'FAILURE')`;
  return row?.count ?? 0;
}

test(`${TASKS} tasks, the worker killed ${KILLS} times while they end: each ended once, charged once or refunded once`, async () => {
  const callers: Awaited<ReturnType<typeof relay.addCaller>>[] = [];
  for (let n = 0; n < 4; n++) callers.push(await relay.addCaller({ balance: TASKS * PRICE }));
  await Promise.all(
    callers.map(async ({ token }, at) => {
      for (let n = at; n < TASKS; n += callers.length) {
        const isSong = n % 3 === 0;
        const answer = await ask(token.key, isSong ? "/suno/submit/music" : "/mj/submit/imagine", {
          prompt: `no ${n}`,
        });
        expect(answer.status).toBe(200);
      }
    }),
  );
  for (const [at, { id }] of [...relay.proxies.tasks.values()].entries()) {
    const isFailure = at % 2 === 0;
    relay.proxies.tell({ status: isFailure ? "FAILURE" : "SUCCESS", fail_reason: "x", progress: "100%" }, id);
  }
  for (let kill = 1; kill <= KILLS; kill++) {
    const worker = startWorker();
    await until(async () => (await countEnded()) >= (kill * TASKS) / (KILLS + 1), 60_000);
    await worker.kill();
  }
  const atLastKill = await countEnded();
  const last = startWorker();
  await until(async () => (await countEnded()) === TASKS, 60_000);
  await last.kill();
  expect(atLastKill).toBeLessThan(TASKS);
  const [sums] = await relay.database.sql`
    select count(*)::int as tasks, (count(*) filter (where status = 'FAILURE'))::int as failed,
      sum(quota)::bigint as charged from tasks`;
  expect(sums).toEqual({ tasks: TASKS, failed: TASKS / 2, charged: (TASKS / 2) * PRICE });
  const [moved] = await relay.database.sql`
    select (count(*) filter (where amount > 0))::int as charges, (count(*) filter (where amount < 0))::int as refunds
    from task_movements`;
  expect(moved).toEqual({ charges: TASKS, refunds: TASKS / 2 });
  const logs = (await Promise.all(callers.map(({ user }) => relay.logsOf(user)))).flat();
  expect(logs.filter(({ type }) => type === 2)).toHaveLength(TASKS);
  expect(logs.filter(({ type, quota }) => type === 4 && quota === -PRICE)).toHaveLength(TASKS / 2);
  const left = (await Promise.all(callers.map(({ user }) => relay.balanceOf(user)))).map(({ quota }) => quota);
  expect(left.reduce((sum, one) => sum + one, 0)).toBe(4 * TASKS * PRICE - (TASKS / 2) * PRICE);
  expect(await relay.differences()).toEqual([]);
  const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
  const hours = await reconcileHours(relay.database.sql, [{ from: hour - 3_600, until: hour + 3_600 }]);
  expect(hours.differences).toEqual([]);
}, 300_000);

test("the gateway is killed while a submission is under way, which is found in the log and charges nothing, and after the proxy took one and the database did not, whose charge and row come together, once", async () => {
  const [hanging, taken] = [await relay.addCaller(), await relay.addCaller()];
  const proxy = await startDatabaseProxy(relay.database.url);
  const gateway = await startGatewayProcess(entry("gateway"), proxy.url, journal);
  const submitted = async (key: string, text: string) => {
    const before = relay.proxies.seen.length;
    const asked = submit(gateway.url, key);
    await until(() => relay.proxies.seen.length > before, 10_000);
    await until(() => isInJournal(text), 10_000);
    return { asked };
  };
  relay.proxies.behaviour.submit = () => "hang";
  const first = await submitted(hanging.token.key, "may have taken it");
  relay.proxies.behaviour.submit = () => {
    void proxy.close();
    return { status: 200, body: { code: 1, description: "ok", result: "up-in-journal" } };
  };
  const second = await submitted(taken.token.key, "up-in-journal");
  await gateway.kill();
  await Promise.all([first.asked, second.asked]);
  expect(await rowsOf(taken.user)).toEqual([]);
  const next = await startGatewayProcess(entry("gateway"), relay.database.url, journal);
  await until(async () => (await relay.logsOf(hanging.user)).length > 0, 20_000);
  await until(async () => (await rowsOf(taken.user)).length > 0, 20_000);
  await next.kill();
  expect(await relay.logsOf(hanging.user)).toMatchObject([{ type: 5, quota: 0, model: "mj_imagine" }]);
  expect(await rowsOf(hanging.user)).toEqual([]);
  expect(await rowsOf(taken.user)).toMatchObject([{ upstreamId: "up-in-journal", quota: PRICE }]);
  expect(await relay.balanceOf(taken.user)).toEqual({ quota: 1_000_000 - PRICE, used: PRICE });
}, 90_000);

/** What is due is written after 20 to 40 ms. */
function isInJournal(text: string): boolean {
  return readJournals(journal).some((bytes) => bytes.includes(text));
}

async function submit(url: string, key: string): Promise<void> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const body = JSON.stringify({ prompt: "a heron" });
  await fetch(`${url}/mj/submit/imagine`, { method: "POST", headers, body }).catch(() => {});
}
