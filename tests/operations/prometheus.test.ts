import { spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { logStoreFigures } from "@/lib/metrics/log-store";
import { replicaFigures } from "@/lib/metrics/replica-figures";
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
  await until("two scrapes", async () => ((await figureOf("count_over_time(up[5m])")) ?? 0) > 1, 100_000);
});

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
  await until(
    "Prometheus is ready",
    () =>
      fetch(`${url}/-/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    100_000,
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

function promtool(...words: string[]): void {
  const { status, stdout, stderr } = spawnSync("promtool", words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`promtool ${words.join(" ")}:\n${stdout}${stderr}`);
}

/** The metrics that an expression names. */
function namesIn(expression: string): string[] {
  return [...new Set(expression.match(/weir_[a-z_]+/g) ?? [])];
}

type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { uid: string };
  targets?: { expr: string; legendFormat?: string }[];
};
type Dashboard = { panels: Panel[]; templating: { list: { name: string; query: string | { query: string } }[] } };

const dashboard = JSON.parse(readFileSync("ops/grafana/weir.json", "utf8")) as Dashboard;

/** With its variables filled in as Grafana does where all is chosen. */
function filled(expression: string): string {
  return expression.replaceAll(/\$(instance|model)\b/g, ".*").replaceAll("$__rate_interval", "1m");
}

/** What has no series as long as nothing of its kind has happened. */
const mayBeEmpty = [/^max by \(state\) \(weir_open_circuits/];

type Rule = { name: string; type: string; health: string; query: string };

async function rules(): Promise<Rule[]> {
  const answer = await fetch(`${prometheus.url}/api/v1/rules`);
  const { data } = (await answer.json()) as { data: { groups: { rules: Rule[] }[] } };
  return data.groups.flatMap((group) => group.rules);
}

test("Prometheus scrapes every request that was sent, by status, model, channel and dialect", async () => {
  await expect.poll(() => figureOf("sum(weir_requests_total)"), { timeout: 100_000 }).toBe(requestsSent);
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
  const lags = await query(`weir_event_loop_lag_seconds{percentile="100"}`);
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
  // Only a console has these, and only with a replica.
  const nothing = { status: "unknown", lagMs: null, lagBytes: null, reads: { replica: 0, primary: 0 } } as const;
  for (const { name } of replicaFigures(nothing)) exported.add(name);
  // Only the worker that ships has these, and only with a log store.
  const none = { rows: 0, bytes: 0, oldestSeconds: 0, shippedRows: 0, shippedBatches: 0, failures: 0, isFresh: true };
  for (const { name } of logStoreFigures(none)) exported.add(name);
  const exists = (name: string): boolean =>
    exported.has(name) || exported.has(name.replace(/_(bucket|sum|count)$/, ""));
  const targets = dashboard.panels.flatMap((panel) => (panel.targets ?? []).map((target) => ({ ...target, panel })));
  expect(targets.length).toBeGreaterThan(40);
  for (const { expr, legendFormat = "", panel } of targets) {
    const plain = filled(expr);
    expect(plain, panel.title).not.toContain("$");
    expect(namesIn(plain).filter((name) => !exists(name))).toEqual([]);
    const found = await query(plain);
    if (!mayBeEmpty.some((pattern) => pattern.test(expr))) expect(found.length, `${panel.title}: ${plain}`).not.toBe(0);
    // Grafana shows nothing for a label that no series has. A single one may lack it: Prometheus drops empty labels.
    const labels = found.flatMap((one) => Object.keys(one.labels));
    for (const [, label] of found.length > 0 ? legendFormat.matchAll(/\{\{(\w+)\}\}/g) : []) {
      expect(labels, `${panel.title}: ${legendFormat}`).toContain(label);
    }
  }
  for (const { query: plain } of await rules()) expect(namesIn(plain).filter((name) => !exists(name))).toEqual([]);
});

test("the dashboard's variables have values, each panel its own id and place, and all ask the chosen data source", async () => {
  const asked = dashboard.templating.list.filter(({ query: text }) => typeof text === "object");
  expect(asked.map(({ name }) => name)).toEqual(["instance", "model"]);
  for (const { query: text } of asked) {
    const [, metric, label] = /^label_values\((\w+), (\w+)\)$/.exec((text as { query: string }).query) ?? [];
    const answer = await fetch(`${prometheus.url}/api/v1/label/${label}/values?match[]=${metric}`);
    expect(((await answer.json()) as { data: string[] }).data).not.toEqual([]);
  }
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  const plain = panels.filter(({ type }) => type !== "row");
  expect(plain.filter(({ targets = [] }) => targets.length === 0)).toEqual([]);
  expect(plain.filter(({ datasource }) => !/^\$\{datasource\}$/.test(datasource?.uid ?? ""))).toEqual([]);
});

test("the metrics are as Prometheus wants them", async () => {
  const text = await (await fetch(`${metrics}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text();
  const { status, stderr } = spawnSync("promtool", ["check", "metrics"], { encoding: "utf8", input: text });
  expect([status, stderr]).toEqual([0, ""]);
});

test("the rules are valid, and are evaluated here without an error", async () => {
  promtool("check", "rules", rulesFile);
  promtool("check", "config", resolve("ops/prometheus/prometheus.yml"));
  const loaded = await rules();
  expect(loaded.length).toBeGreaterThan(10);
  expect(loaded.filter(({ health }) => health === "err")).toEqual([]);
});

test("every alert fires when it should, and not before", async () => {
  const file = resolve("ops/prometheus/weir.rules.test.yml");
  promtool("test", "rules", file);
  const cases = readFileSync(file, "utf8").split("alertname: ").slice(1);
  const named = (text: string) => cases.filter((part) => part.includes(text)).map((part) => /^\w+/.exec(part)?.[0]);
  const alerts = (await rules()).map(({ name }) => name).sort();
  expect([...new Set(named("exp_labels:"))].sort()).toEqual(alerts);
  expect([...new Set(named("exp_alerts: []"))].sort()).toEqual(alerts);
});
