import { type ChildProcess, fork, spawn, spawnSync } from "node:child_process";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { GATEWAY_FLAGS } from "@/server/processes";
import { measuredCommand } from "./cores";

export type Alternative = {
  name: string;
  /** Where it takes chat completions. */
  url: string;
  /** The root of its process tree; null = its CPU and memory are not measured. */
  pid: number | null;
  /** First process of the PostgreSQL that works for it alone while it is measured. */
  databasePid?: number;
  /** Bytes allocated in its heap until now. */
  allocated?: () => Promise<number>;
  /** Without these it gets the key and the model of the bench. */
  key?: string;
  model?: string;
  headers?: Record<string, string>;
};
export type GatewayProcess = { port: number; pid: number };
type Program = { port: number; pid: number };

const children: ChildProcess[] = [];

/** Stops every process that this module started and waits until they exit: a gateway settles before it exits. */
export async function stopAll(): Promise<void> {
  const running = children.filter((child) => child.exitCode === null && child.signalCode === null);
  await Promise.all(
    running.map((child) => {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      return ended;
    }),
  );
}

/** A loopback port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}

/** Starts a program of this folder and waits until it reports its port. `isMeasured`: as a gateway is, see startGateway. */
export function startProgram(file: string, env: Record<string, string>, isMeasured = false): Promise<Program> {
  const [execPath = process.execPath, ...args] = isMeasured ? measuredNode() : [process.execPath];
  const child = fork(join(import.meta.dirname, file), {
    env: { ...process.env, ...env },
    execPath,
    execArgv: [...args, "--import", "tsx"],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.on("message", ({ port, error }: { port?: number; error?: string }) => {
      if (port !== undefined) resolve({ port, pid: child.pid ?? 0 });
      else if (error !== undefined) reject(new Error(`${file} does not start: ${error}`));
    });
    child.once("exit", (code) => reject(new Error(`${file} ended with ${code}`)));
  });
}

/** Asks a process that was started for one of its figures. */
export function askProgram<Value>(pid: number, name: string): Promise<Value> {
  const child = children.find((one) => one.pid === pid);
  if (!child) throw new Error(`no program has the id ${pid}`);
  return new Promise((resolve) => {
    const listener = (answer: Record<string, Value>) => {
      const value = answer[name];
      if (value === undefined) return;
      child.off("message", listener);
      resolve(value);
    };
    child.on("message", listener);
    child.send({ type: name });
  });
}

/** Asks a program for one of its figures, then kills it. */
export async function stopProgram<Value>(pid: number, name: string): Promise<Value> {
  const answer = await askProgram<Value>(pid, name);
  const index = children.findIndex((one) => one.pid === pid);
  const [child] = children.splice(index, 1);
  const ended = new Promise((resolve) => child?.once("exit", resolve));
  child?.kill("SIGKILL");
  await ended;
  return answer;
}

/** The command that runs Node.js for a process that is measured: on its core, and it says what it allocates. */
function measuredNode(): string[] {
  const reporter = pathToFileURL(join(import.meta.dirname, "report-memory.mjs")).href;
  return [...measuredCommand(), process.execPath, "--import", reporter];
}

type GatewayOptions = {
  /** Where its line per request goes; without one, with the output of this process. */
  logFile?: string;
  /** The folder that it runs in, and its flags of Node.js. */
  folder?: string;
  flags?: readonly string[];
};

/** Starts one production gateway process from a bundle and waits until it responds. */
export async function startGateway(
  bundle: string,
  env: Record<string, string>,
  { logFile, folder, flags = GATEWAY_FLAGS }: GatewayOptions = {},
): Promise<GatewayProcess> {
  const port = await freePort();
  const [command = process.execPath, ...args] = measuredNode();
  const child = spawn(command, [...args, ...flags, ...(process.env.BENCH_NODE_FLAGS?.split(" ") ?? []), bundle], {
    env: { ...process.env, HOST: "127.0.0.1", PORT: String(port), ...env, NODE_ENV: "production" },
    cwd: folder,
    stdio: ["ignore", logFile ? openSync(logFile, "a") : "inherit", "inherit", "ipc"],
  });
  children.push(child);
  await untilListening(port, child, logFile);
  return { port, pid: child.pid ?? 0 };
}

/** Starts a production worker process from a bundle and waits until it runs jobs. */
export async function startWorker(bundle: string, env: Record<string, string>, logFile: string): Promise<void> {
  const log = openSync(logFile, "a");
  const child = spawn(process.execPath, [bundle], {
    env: { ...process.env, ...env, NODE_ENV: "production" },
    stdio: ["ignore", log, log, "ipc"],
  });
  children.push(child);
  await new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", () => reject(new Error(`the worker ended:\n${readFileSync(logFile, "utf8").slice(-2_000)}`)));
  });
}

/** Starts nginx as a plain keep-alive proxy; null when nginx is not installed. */
export async function startNginx(
  upstreamUrl: string,
  directory: string,
): Promise<{ port: number; pid: number } | null> {
  if (spawnSync("nginx", ["-v"]).error) return null;
  const port = await freePort();
  const home = join(directory, "nginx");
  mkdirSync(home, { recursive: true });
  const config = `worker_processes 1; daemon off; pid ${home}/pid; error_log ${home}/error.log;
events { worker_connections 4096; }
http { access_log off; client_body_temp_path ${home}/b; proxy_temp_path ${home}/p; fastcgi_temp_path ${home}/f;
  uwsgi_temp_path ${home}/u; scgi_temp_path ${home}/s; keepalive_requests 10000000;
  upstream up { server ${new URL(upstreamUrl).host}; keepalive 256; }
  server { listen 127.0.0.1:${port}; location / { proxy_pass http://up; proxy_http_version 1.1;
    proxy_set_header Connection ""; proxy_buffering off; } } }`;
  writeFileSync(join(home, "nginx.conf"), config);
  const child = spawn("nginx", ["-c", join(home, "nginx.conf"), "-p", home], { stdio: "ignore" });
  children.push(child);
  await untilListening(port, child);
  return { port, pid: child.pid ?? 0 };
}

async function untilListening(port: number, child: ChildProcess, logFile?: string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      await fetch(`http://127.0.0.1:${port}/v1/models`);
      return;
    } catch (error) {
      const hasEnded = child.exitCode !== null || child.signalCode !== null;
      const said = logFile ? `\n${readFileSync(logFile, "utf8").slice(-2_000)}` : "";
      if (hasEnded || Date.now() > deadline) throw new Error(`nothing listens on ${port}${said}`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
