import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { keepConnections } from "./processes";

const file = join(createRunFolder("cluster-connections"), "worker.cjs");
writeFileSync(file, `require("http").createServer((_, to) => to.end(String(process.pid))).listen(0, "127.0.0.1");`);
cluster.setupPrimary({ exec: file, execArgv: [], args: [] });
const started: Worker[] = [];

afterEach(() => {
  for (const worker of started.splice(0)) worker.process.kill("SIGKILL");
});

async function start(): Promise<{ worker: Worker; port: number }> {
  const worker = cluster.fork();
  started.push(worker);
  keepConnections(worker.process);
  const [{ port }] = (await once(worker, "listening")) as [{ port: number }];
  return { worker, port };
}

/** Of a connection of its own: the process that answered, or the error. */
function ask(port: number): Promise<string> {
  return new Promise((resolve) => {
    const call = get({ port, host: "127.0.0.1", agent: false }, (response) => {
      response.setEncoding("utf8").on("data", resolve);
    });
    call.on("error", ({ message }) => resolve(message));
  });
}

test("connections that were on their way to a process that is killed are answered by another one", async () => {
  const [one, other] = [await start(), await start()];
  one.worker.process.kill("SIGSTOP");
  const answers = Promise.all(Array.from({ length: 8 }, () => ask(one.port)));
  await delay(200);
  one.worker.process.kill("SIGKILL");
  expect(new Set(await answers)).toEqual(new Set([String(other.worker.process.pid)]));
});

test("where there is no other process, they end at once", async () => {
  const { worker, port } = await start();
  worker.process.kill("SIGSTOP");
  const answers = Promise.all(Array.from({ length: 4 }, () => ask(port)));
  await delay(200);
  worker.process.kill("SIGKILL");
  for (const answer of await answers) expect(answer).toMatch(/hang up|ECONNRESET/);
});

test("a connection that was taken is given to nobody else", async () => {
  const [one, other] = [await start(), await start()];
  const pids = [one, other].map(({ worker }) => String(worker.process.pid));
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(one.port)));
  expect(new Set(answers)).toEqual(new Set(pids));
  one.worker.process.kill("SIGKILL");
  await once(one.worker, "exit");
  expect(await ask(one.port)).toBe(pids[1]);
});
