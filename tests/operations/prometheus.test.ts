import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { createSeed } from "../relay/seed";
import { startWeir, until, type WeirProcess } from "../runtime/weir-process";
import { needPackages } from "./packages";

const folder = createRunFolder("prometheus");
const bundle = setUpBundle(["main", "gateway", "worker"]);
const rulesFile = resolve("ops/prometheus/weir.rules.yml");
const TOKEN = "a-token-for-the-metrics";

let database: TestDatabase;
let upstream: FakeUpstream;
let weir: WeirProcess;
let metrics: string;
let prometheus: { url: string; stop: () => Promise<void> };
let requestsSent = 0;

beforeAll(async () => {
  needPackages({ "/usr/bin/prometheus": "prometheus", "/usr/bin/promtool": "prometheus" });
  database = await createTestDatabase();
  upstream = await startFakeUpstream();
  const seed = createSeed(database, upstream.url);
  await seed.setPrices();
  await seed.addChannel({ name: "first" });
  const { token } = await seed.addCaller();
  const port = await freePort();
  weir = startWeir(
    {
      DATABASE_URL: database.url,
      WEIR_SECRET: process.env.WEIR_SECRET ?? "",
      WEIR_DATA_DIR: folder,
      WEIR_ROLES: "gateway,worker",
      WEIR_GATEWAY_WORKERS: "2",
      WEIR_METRICS_PORT: "0",
      WEIR_METRICS_TOKEN: TOKEN,
      PORT: String(port),
      HOST: "127.0.0.1",
    },
    bundle("main"),
  );
  metrics = (await weir.waitFor(/metrics at (http:\S+)\/metrics/))[1] ?? "";
  await weir.waitFor(/ready in/);
  await sendTraffic(`http://127.0.0.1:${port}`, token.key);
  prometheus = await startPrometheus(new URL(metrics).host);
  await until("two scrapes", async () => ((await figureOf("count_over_time(up[5m])")) ?? 0) > 1);
}, 120_000);

afterAll(async () => {
  await prometheus?.stop();
  weir?.signal("SIGTERM");
  await weir?.ended;
  await upstream?.close();
  await database?.drop();
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

async function sendTraffic(url: string, key: string): Promise<void> {
  const send = async (model: string, stream: boolean, bearer = key): Promise<number> => {
    requestsSent += 1;
    const body = JSON.stringify({ model, stream, messages: [{ role: "user", content: "hi" }] });
    const headers = { authorization: `Bearer ${bearer}`, "content-type": "application/json" };
    const answer = await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body });
    await answer.text();
    return answer.status;
  };
  expect(await send("fake-gpt", false)).toBe(200);
  for (let count = 0; count < 5; count++) expect(await send("fake-gpt", true)).toBe(200);
  expect(await send("fake-error-500", false)).toBeGreaterThanOrEqual(500);
  await send("fake-cut", true);
  expect(await send("no-such-model", false)).toBeGreaterThanOrEqual(400);
  expect(await send("fake-gpt", false, "sk-unknown")).toBe(401);
}

async function startPrometheus(target: string) {
  const tokenFile = join(folder, "token");
  writeFileSync(tokenFile, TOKEN);
  const own = readFileSync("ops/prometheus/prometheus.yml", "utf8")
    .replaceAll("15s", "1s")
    .replace("127.0.0.1:9464", target)
    .replace("weir.rules.yml", rulesFile)
    .concat(`    authorization:\n      credentials_file: ${tokenFile}\n`);
  const file = join(folder, "prometheus.yml");
  writeFileSync(file, own);
  const port = await freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, "tsdb")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: "ignore" },
  );
  const ended = new Promise<void>((done) => child.once("exit", () => done()));
  const url = `http://127.0.0.1:${port}`;
  await until("Prometheus is ready", () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return {
    url,
    stop: async () => {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

type Found = { labels: Record<string, string>; value: number };

/** Throws where Prometheus reports an error. */
async function query(expression: string): Promise<Found[]> {
  const body = new URLSearchParams({ query: expression });
  const answer = await fetch(`${prometheus.url}/api/v1/query`, { method: "POST", body });
  const json = (await answer.json()) as {
    status: string;
    error?: string;
    data: { result: { metric: Record<string, string>; value: [number, string] }[] };
  };
  if (json.status !== "success") throw new Error(`${expression}: ${json.error}`);
  return json.data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
}

async function figureOf(expression: string): Promise<number | undefined> {
  return (await query(expression))[0]?.value;
}

/** The metrics that an expression names. */
function namesIn(expression: string): string[] {
  return [...new Set(expression.match(/weir_[a-z_]+/g) ?? [])];
}

function dashboardExpressions(): string[] {
  const { panels } = JSON.parse(readFileSync("ops/grafana/weir.json", "utf8")) as {
    panels: { targets?: { expr: string }[] }[];
  };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

type Rule = { name: string; health: string; query: string };

async function rules(): Promise<Rule[]> {
  const answer = await fetch(`${prometheus.url}/api/v1/rules`);
  const { data } = (await answer.json()) as { data: { groups: { rules: Rule[] }[] } };
  return data.groups.flatMap((group) => group.rules);
}

test("Prometheus scrapes every request that was sent, by status, model, channel and dialect", async () => {
  await expect.poll(() => figureOf("sum(weir_requests_total)"), { timeout: 20_000 }).toBe(requestsSent);
  const streamed = `weir_requests_total{model="fake-gpt",status="200",dialect="openai-chat",operation="chat",outcome="answered"}`;
  expect(await query(`sum by (channel_name) (${streamed})`)).toEqual([{ labels: { channel_name: "first" }, value: 6 }]);
  expect(await figureOf(`sum(weir_requests_total{model="other"})`)).toBe(1);
  expect(await figureOf(`sum(weir_refusals_total{status="401"})`)).toBe(1);
  expect(await figureOf(`sum(weir_failed_attempts_total{channel_name="first"})`)).toBeGreaterThan(0);
});

test("tokens and money in the metrics are those of the books", async () => {
  const [books] = await database.sql<{ quota: number; prompt: number; completion: number }[]>`
    select sum(quota)::int as quota, sum(prompt_tokens)::int as prompt, sum(completion_tokens)::int as completion
    from usage_logs where type = 2`;
  expect(await figureOf("sum(weir_charged_quota_total)")).toBe(books?.quota);
  expect(await figureOf(`sum(weir_tokens_total{kind="prompt"})`)).toBe(books?.prompt);
  expect(await figureOf(`sum(weir_tokens_total{kind="completion"})`)).toBe(books?.completion);
  expect(await figureOf("sum(weir_charged_money_total)")).toBeCloseTo((books?.quota ?? 0) / 500_000, 9);
});

test("both gateways and the worker are there, with their loops, memory and jobs", async () => {
  const roles = await query("weir_processes");
  expect(Object.fromEntries(roles.map(({ labels, value }) => [labels.role, value]))).toEqual({ gateway: 2, worker: 1 });
  const lags = await query(`weir_event_loop_lag_seconds{quantile="1"}`);
  expect(lags.map(({ labels }) => labels.process).sort()).toEqual(["gateway-1", "gateway-2", "worker-1"]);
  expect(await figureOf(`weir_job_runs_total{task="lease-sweep",outcome="done"}`)).toBeGreaterThan(0);
});

test("every pool of both roles shows how much of it is used", async () => {
  const pools = await query("weir_pool_connections_max");
  const found = pools.map(({ labels, value }) => `${labels.role} ${labels.pool} ${value}`).sort();
  // Two gateway processes.
  expect(found).toContain("gateway weir-gateway 8");
  expect(found).toContain("gateway weir-gateway heartbeat 2");
  expect(found.some((text) => text.startsWith("worker weir-worker "))).toBe(true);
  const total = (name: string) => figureOf(`sum(${name})`);
  expect(await total("weir_pool_connections")).toBe(await total("weir_pool_connections_max"));
});

test("every expression of the dashboard and the rules runs, and names metrics that exist", async () => {
  const text = await (await fetch(`${metrics}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
  const exported = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name ?? ""));
  const exists = (name: string): boolean =>
    exported.has(name) || exported.has(name.replace(/_(bucket|sum|count)$/, ""));
  const expressions = dashboardExpressions();
  expect(expressions.length).toBeGreaterThan(40);
  for (const expression of expressions) {
    const plain = expression.replaceAll(/\$(instance|model)\b/g, ".*").replaceAll("$__rate_interval", "1m");
    await query(plain);
    expect(namesIn(plain).filter((name) => !exists(name))).toEqual([]);
  }
  for (const { query: plain } of await rules()) expect(namesIn(plain).filter((name) => !exists(name))).toEqual([]);
});

test("the rules are valid, fire when they should, and are evaluated here without an error", async () => {
  execFileSync("promtool", ["check", "rules", rulesFile], { stdio: "pipe" });
  execFileSync("promtool", ["check", "config", resolve("ops/prometheus/prometheus.yml")], { stdio: "pipe" });
  execFileSync("promtool", ["test", "rules", resolve("ops/prometheus/weir.rules.test.yml")], { stdio: "pipe" });
  const loaded = await rules();
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter(({ health }) => health === "err")).toEqual([]);
});
