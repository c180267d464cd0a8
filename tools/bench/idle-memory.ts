import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { freePort, startProgram, stopAll } from "./alternatives";
import { memoryOf } from "./proc";
import { prepareDatabase } from "./weir";

// Memory of all processes that `npm start` starts with one gateway, without PostgreSQL: when nothing has happened yet,
// and after a minute of light traffic. See tools/bench/README.md.

const { values: flags } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: [process.execPath] },
    checkout: { type: "string", multiple: true, default: ["."] },
    "idle-seconds": { type: "string", default: "20" },
    "traffic-seconds": { type: "string", default: "60" },
  },
});

type Memory = ReturnType<typeof memoryOf>;
type Sample = Map<string, Memory>;
type Run = { node: string; checkout: string; started: Sample; used: Sample };

const PASSWORD = "benchmark-password";
const pages = ["/detail", "/channel", "/token", "/log", "/user", "/setting"];

function parentOf(pid: string): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

/** The processes of Weir: those below the supervisor that run on its Node.js. */
function sample(supervisor: number, node: string): Sample {
  const found: Sample = new Map([["supervisor", memoryOf(supervisor)]]);
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      if (parentOf(pid) !== supervisor || readlinkSync(`/proc/${pid}/exe`) !== node) continue;
      const entry =
        readFileSync(`/proc/${pid}/cmdline`, "utf8")
          .split("\0")
          .find((word) => word.endsWith(".js")) ?? "";
      found.set(basename(entry, ".js"), memoryOf(Number(pid)));
    } catch {
      // It has ended, or is PostgreSQL, which runs under another account.
    }
  }
  return found;
}

type Started = { child: ChildProcess; url: string; databaseUrl: () => string; directory: string };

async function start(node: string, checkout: string): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), "weir-idle-"));
  const port = await freePort();
  const child = spawn(node, [join("bin", "weir.mjs"), "start"], {
    cwd: checkout,
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      PORT: String(port),
      HOST: "127.0.0.1",
      WEIR_DATA_DIR: directory,
      WEIR_GATEWAY_WORKERS: "1",
      WEIR_ROOT_PASSWORD: PASSWORD,
      WEIR_REQUEST_LOG: "0",
    },
  });
  let output = "";
  child.stdout?.on("data", (data) => {
    output += String(data);
  });
  while (!output.includes("ready in")) {
    if (child.exitCode !== null) throw new Error(`Weir did not start in ${checkout}:\n${output}`);
    await delay(100);
  }
  const read = (name: string) => readFileSync(join(directory, "postgres", name), "utf8").trim();
  const databaseUrl = () => `postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`;
  return { child, url: `http://127.0.0.1:${port}`, databaseUrl, directory };
}

async function stop({ child, directory }: Started): Promise<void> {
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await ended;
  rmSync(directory, { recursive: true, force: true });
}

async function signIn(url: string): Promise<string> {
  const answer = await fetch(`${url}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ username: "root", password: PASSWORD }),
  });
  if (!answer.ok) throw new Error(`root cannot sign in: ${await answer.text()}`);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

async function readWhole(answer: Promise<Response>): Promise<void> {
  const { status, url, ...rest } = await answer.then(async (got) => ({
    status: got.status,
    url: got.url,
    text: await got.text(),
  }));
  if (status !== 200) throw new Error(`${url} said ${status}: ${rest.text.slice(0, 200)}`);
}

/** Four whole answers and a stream of 2 s each second, and a page of the console. */
async function callLightly(url: string, key: string): Promise<void> {
  const cookie = await signIn(url);
  const running: Promise<void>[] = [];
  const ask = (stream: boolean) =>
    fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        model: "bench-model",
        stream,
        messages: [{ role: "user", content: "hello ".repeat(100) }],
      }),
    });
  for (let second = 0; second < Number(flags["traffic-seconds"]); second++) {
    for (let index = 0; index < 5; index++) running.push(readWhole(ask(index === 0)));
    running.push(readWhole(fetch(`${url}${pages[second % pages.length]}`, { headers: { cookie } })));
    await delay(1_000);
  }
  await Promise.all(running);
}

async function measure(node: string, checkout: string, upstreamUrl: string): Promise<Omit<Run, "node" | "checkout">> {
  const weir = await start(node, checkout);
  try {
    const look = async () => {
      await delay(Number(flags["idle-seconds"]) * 1_000);
      return sample(weir.child.pid ?? 0, node);
    };
    const started = await look();
    const key = await prepareDatabase(weir.databaseUrl(), upstreamUrl);
    // The gateway hears of the channel within a second.
    await delay(2_000);
    await callLightly(weir.url, key);
    return { started, used: await look() };
  } finally {
    await stop(weir);
  }
}

function row({ node, checkout, ...samples }: Run): string {
  const cells = ([samples.started, samples.used] as const).flatMap((found) => {
    const all = [...found.values()];
    const sum = (field: keyof Memory) => all.reduce((total, one) => total + one[field], 0).toFixed(0);
    const parts = ["supervisor", "gateway", "console", "worker"].map((name) =>
      found.get(name)?.sharedOutMib.toFixed(0),
    );
    return [sum("residentMib"), `${sum("sharedOutMib")} (${parts.join(", ")})`];
  });
  return `| ${node} | ${checkout} | ${cells.join(" | ")} |`;
}

/** "24=/opt/node24/bin/node", or a path alone. */
function named(text: string): { name: string; path: string } {
  const [, name, path] = /^([\w.-]+)=(.+)$/.exec(text) ?? [];
  return { name: name ?? text, path: resolve(path ?? text) };
}

process.env.WEIR_SECRET ??= "benchmark-secret-benchmark-secret";
try {
  const upstream = await startProgram("upstream.ts", {});
  console.log("MiB without PostgreSQL; in brackets supervisor, gateway, console, worker\n");
  console.log("| Node.js | | idle: resident | shared pages divided | after traffic: resident | shared pages divided |");
  console.log("|---|---|---|---|---|---|");
  for (const node of flags.node.map(named)) {
    for (const checkout of flags.checkout.map(named)) {
      const run = await measure(realpathSync(node.path), checkout.path, `http://127.0.0.1:${upstream.port}`);
      console.log(row({ node: node.name, checkout: checkout.name, ...run }));
    }
  }
} finally {
  await stopAll();
}
