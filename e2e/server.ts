import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { startFakeUpstream } from "../lib/testing/fake-upstream";

const START_MS = 90_000;

export type TestServer = {
  url: string;
  password: string;
  upstreamUrl: string;
  /** Where the server keeps its data. */
  directory: string;
  stop: () => Promise<void>;
};

/** The built server on an empty data directory and a port of its own, with an upstream to send requests to. */
export async function startTestServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const upstream = await startFakeUpstream();
  const directory = mkdtempSync(join(tmpdir(), "weir-e2e-"));
  const port = await freePort();
  const password = "e2e-root-password";
  const server = spawn(process.execPath, [join("dist", "main.js")], {
    env: {
      ...process.env,
      NODE_ENV: "production",
      PORT: String(port),
      HOST: "127.0.0.1",
      WEIR_DATA_DIR: directory,
      WEIR_ROOT_PASSWORD: password,
      WEIR_GATEWAY_WORKERS: "1",
      // Receivers of messages are on loopback here.
      WEIR_EGRESS_ALLOW: "127.0.0.1",
      // Every browser of the run comes from one address.
      GLOBAL_API_RATE_LIMIT_ENABLE: "false",
      CRITICAL_RATE_LIMIT_ENABLE: "false",
      DATABASE_URL: undefined,
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const collect = (chunk: Buffer) => {
    output = (output + chunk.toString()).slice(-20_000);
  };
  server.stdout.on("data", collect);
  server.stderr.on("data", collect);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    await stopServer(server);
    await upstream.close();
    rmSync(directory, { recursive: true, force: true });
  };
  if (!(await answers(`${url}/login`, server))) {
    await stop();
    throw new Error(`the server did not start:\n${output}`);
  }
  return { url, password, upstreamUrl: upstream.url, directory, stop };
}

async function answers(url: string, server: ChildProcess): Promise<boolean> {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline && server.exitCode === null) {
    const response = await fetch(url).catch(() => null);
    if (response?.ok) return true;
    await delay(250);
  }
  return false;
}

async function stopServer(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const exited = new Promise<void>((done) => server.once("exit", () => done()));
  server.kill("SIGTERM");
  await exited;
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const probe = createServer().once("error", fail);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address ? address.port : 0));
    });
  });
}
