import { existsSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
import { childrenOf, databaseUrl, isAlive, startWeir, until, type WeirProcess } from "@/tests/runtime/weir-process";
import { freePort } from "@/tools/bench/alternatives";
import { prepareDatabase } from "@/tools/bench/weir";

// What `npm start` starts, from the build, on the Node.js that runs this test. CI runs it on a newer one too.

const directory = createRunFolder("built");
const minuteMs = 60_000;
let upstream: FakeUpstream;
let weir: WeirProcess;
let address: string;

beforeAll(async () => {
  if (!existsSync(join(".next", "BUILD_ID"))) throw new Error("the console is not built; run: npm run build");
  upstream = await startFakeUpstream();
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  const settings = {
    PORT: String(port),
    HOST: "127.0.0.1",
    WEIR_DATA_DIR: directory,
    WEIR_SECRET: process.env.WEIR_SECRET ?? "",
    WEIR_GATEWAY_WORKERS: "1",
    WEIR_DRAIN_SECONDS: "20",
    WEIR_DRAIN_PAUSE_SECONDS: "0",
  };
  weir = startWeir(settings, join("bin", "weir.mjs"), "start");
  await until("Weir is ready", () => weir.output().includes("ready in") || !isAlive(weir.pid), 4 * minuteMs);
}, 5 * minuteMs);

afterAll(async () => {
  if (isAlive(weir.pid)) weir.signal("SIGTERM");
  await weir.ended;
  await upstream.close();
  rmSync(directory, { recursive: true, force: true });
});

test("the built service starts, all of its processes on this Node.js, and says at /readyz that it is ready", async () => {
  expect(weir.output()).toContain("ready in");
  // It asks a few times a second whether the console has started.
  await until("/readyz says 200", async () => (await fetch(`${address}/readyz`)).status === 200);
  const programs = childrenOf(weir.pid).filter(({ command }) => /\/dist\/\w+\.js/.test(command));
  expect(programs.map(({ command }) => /(\w+)\.js/.exec(command)?.[1]).sort()).toEqual([
    "console",
    "gateway",
    "worker",
  ]);
  const runtimes = programs.map(({ pid }) => readlinkSync(`/proc/${pid}/exe`));
  expect(new Set(runtimes)).toEqual(new Set([readlinkSync("/proc/self/exe")]));
});

test("the console has taken what the build made of next.config.ts, without the compiler's memory", () => {
  const [running] = childrenOf(weir.pid).filter(({ command }) => command.includes("/dist/console.js"));
  expect(readFileSync(`/proc/${running?.pid}/maps`, "utf8")).not.toMatch(/next-swc/);
});

test("the built service shows the console and relays a stream", async () => {
  const page = await fetch(`${address}/login`);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("</html>")]);
  const key = await prepareDatabase(databaseUrl(directory), upstream.url, "fake-gpt");
  const ask = () =>
    fetch(`${address}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "fake-gpt", stream: true, messages: [{ role: "user", content: "Say hello" }] }),
    });
  // The gateway hears of the channel a moment after it was made.
  let answer = await ask();
  await until(
    "the channel is in force",
    async () => {
      if (!answer.ok) answer = await ask();
      return answer.ok;
    },
    minuteMs,
  );
  const text = await answer.text();
  expect(text).toMatch(/^data: \{/);
  expect(text.trimEnd().endsWith("data: [DONE]")).toBe(true);
});

test("SIGTERM ends the built service with code 0 and leaves none of its processes", async () => {
  const pids = childrenOf(weir.pid).map(({ pid }) => pid);
  weir.signal("SIGTERM");
  expect(await weir.ended).toBe(0);
  await until("all processes have ended", () => !pids.some(isAlive));
});
