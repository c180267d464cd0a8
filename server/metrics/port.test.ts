import { type ChildProcess, fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { createReadiness } from "../readiness";
import { type MetricsPort, openMetricsPort } from "./port";

/** Answers questions with the figures of its command line, while it is not told to be silent. */
const PROGRAM = `
const [requests, lag, reason] = process.argv.slice(2);
let isSilent = false;
process.on("message", (message) => {
  if (message === "silence") { isSilent = true; process.send("silent"); return; }
  if (isSilent || message.type !== "report?") return;
  const families = [
    { name: "weir_requests_total", help: "x", type: "counter", aggregator: "sum",
      values: [{ labels: { model: 'quote"d' }, value: Number(requests) }] },
    { name: "weir_event_loop_lag_seconds", help: "x", type: "gauge", aggregator: "sum", isPerProcess: true,
      values: [{ labels: { percentile: "100" }, value: Number(lag) }] },
  ];
  process.send({ type: "report", id: message.id, reason: reason || null, families: message.wantsFamilies ? families : [] });
});
process.send("started");
`;

let folder: string;
let port: MetricsPort | null = null;
const processes: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "weir-metrics-"));
  writeFileSync(join(folder, "child.mjs"), PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const process of processes.splice(0)) process.kill("SIGKILL");
  await port?.close();
  port = null;
});

async function start(...figures: (number | string)[]): Promise<ChildProcess> {
  const child = fork(join(folder, "child.mjs"), figures.map(String), { execArgv: [] });
  processes.push(child);
  await new Promise((done) => child.once("message", done));
  return child;
}

type Slots = Record<string, ChildProcess | null>;

async function open(slots: () => Slots, token?: string) {
  const readiness = createReadiness();
  const list = () =>
    Object.entries(slots()).map(([name, process]) => ({
      name: name.replace(/\d$/, ""),
      processes: () => (process ? [process] : []),
    }));
  port = await openMetricsPort({ port: 0, host: "127.0.0.1", token, slots: list, readiness, waitMs: 300 });
  const url = `http://127.0.0.1:${port.port}`;
  return { url, readiness, scrape: async () => await (await fetch(`${url}/metrics`)).text() };
}

test("counts of all processes are added up, and each process has its own lag", async () => {
  const slots = { gateway1: await start(3, 0.1), gateway2: await start(4, 0.2), worker: await start(0, 0.3) };
  const { scrape } = await open(() => slots);
  const text = await scrape();
  expect(text).toContain('weir_requests_total{model="quote\\"d"} 7');
  expect(text).toContain('weir_event_loop_lag_seconds{process="gateway-1",percentile="100"} 0.1');
  expect(text).toContain('weir_event_loop_lag_seconds{process="gateway-2",percentile="100"} 0.2');
  expect(text).toContain('weir_processes{role="gateway"} 2');
  expect(text).toContain("weir_silent_processes_total 0");
});

test("a sum never falls: what a silent or an ended process counted stays in it", async () => {
  const slots: Slots = { gateway1: await start(3, 0.1), gateway2: await start(4, 0.2) };
  const { scrape } = await open(() => slots);
  expect(await scrape()).toContain('model="quote\\"d"} 7');
  const silent = slots.gateway2 as ChildProcess;
  silent.send("silence");
  await new Promise((done) => silent.once("message", done));
  const text = await scrape();
  expect(text).toContain('model="quote\\"d"} 7');
  expect(text).not.toContain('process="gateway-2"');
  expect(text).toContain('weir_processes{role="gateway"} 1');
  expect(text).toContain("weir_silent_processes_total 1");
  slots.gateway2 = await start(10, 0.2);
  expect(await scrape()).toContain('model="quote\\"d"} 17');
  slots.gateway2 = null;
  expect(await scrape()).toContain('model="quote\\"d"} 17');
});

test("readiness is that of all roles: one process of each is enough, and the reasons are shown", async () => {
  const slots: Slots = { gateway1: await start(0, 0), gateway2: await start(0, 0, "full"), worker: null };
  const { url, readiness } = await open(() => slots);
  const ready = async () => {
    const answer = await fetch(`${url}/readyz`);
    return [answer.status, ((await answer.json()) as { status: string }).status];
  };
  expect(await ready()).toEqual([503, "starting"]);
  readiness.started();
  expect(await ready()).toEqual([503, "starting"]);
  slots.worker = await start(0, 0);
  expect(await ready()).toEqual([200, "ready"]);
  slots.gateway1 = await start(0, 0, "fenced");
  expect(await ready()).toEqual([503, "fenced"]);
  readiness.draining();
  expect(await ready()).toEqual([503, "draining"]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test("with a token, figures are for those who have it, and probes for anybody", async () => {
  const { url } = await open(() => ({}), "a-token-of-some-length");
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(`${url}${path}`, { headers })).status;
  expect(await status("/metrics")).toBe(401);
  expect(await status("/metrics", { authorization: "Bearer wrong" })).toBe(401);
  expect(await status("/metrics", { authorization: "Bearer a-token-of-some-length" })).toBe(200);
  expect(await status("/healthz")).toBe(200);
  expect(await status("/other")).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: "POST", body: "x" })).status).toBe(405);
});
