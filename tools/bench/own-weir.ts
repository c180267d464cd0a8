import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { ENVIRONMENT_NAMES } from "@/lib/env";
import { measuredCommand } from "./cores";

/** Everything that `npm start` starts, in a folder of its own that is removed when it stops. */
export type OwnWeir = {
  url: string;
  directory: string;
  databaseUrl: string;
  /** The process above all others. */
  pid: number;
  /** The id of each process by its name; several gateways are numbered. PostgreSQL's first process is among them. */
  processes: () => Map<string, number>;
  /** The last lines that the processes wrote, but for those about single requests. */
  lastLines: () => readonly string[];
  /** Ends the processes. The folder stays until `remove`, so that the books can be read. */
  stop: () => Promise<void>;
  remove: () => void;
};

type Settings = { node?: string; checkout?: string; env?: Record<string, string> };

const LINES_MAX = 100;
const PASSWORD = "benchmark-password";
/** Pages of the console that an administrator opens. */
export const PAGES = ["/detail", "/channel", "/token", "/log", "/user", "/setting"];

export async function startOwnWeir({ node, checkout = ".", env = {} }: Settings): Promise<OwnWeir> {
  const directory = mkdtempSync(join(tmpdir(), "weir-own-"));
  const program = realpathSync(node ?? process.execPath);
  const [command = program, ...args] = [...measuredCommand(), program, join("bin", "weir.mjs"), "start"];
  const child = spawn(command, args, {
    cwd: checkout,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...ownEnvironment(process.env), WEIR_DATA_DIR: directory, ...env },
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (/"level":(?!40|50|60)|"msg":"request"/.test(line)) return;
    if (lines.push(line) > LINES_MAX) lines.shift();
  });
  while (!lines.some((line) => line.includes("ready in"))) {
    if (child.exitCode !== null) {
      rmSync(directory, { recursive: true, force: true });
      throw new Error(`Weir did not start in ${checkout}:\n${lines.join("\n")}`);
    }
    await delay(100);
  }
  const read = (name: string) => readFileSync(join(directory, "postgres", name), "utf8").trim();
  return {
    url: `http://127.0.0.1:${env.PORT}`,
    pid: child.pid ?? 0,
    directory,
    databaseUrl: `postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`,
    processes: () =>
      processesBelow(child.pid ?? 0, program).set(
        "postgresql",
        Number(read(join("data", "postmaster.pid")).split("\n")[0]),
      ),
    lastLines: () => lines,
    stop: () => stop(child),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/**
 * Without the settings of the installation whose checkout this is: the load must not reach its database. Those of .env stand back
 * behind what is set, and what is empty counts as not set.
 */
export function ownEnvironment(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  // PostgreSQL's own programs read the words of libpq, and take no empty ones.
  const unset = Object.fromEntries(ENVIRONMENT_NAMES.map((name) => [name, name.startsWith("PG") ? undefined : ""]));
  return { ...given, ...unset, HOST: "127.0.0.1", WEIR_SECRET: given.WEIR_SECRET, WEIR_ROOT_PASSWORD: PASSWORD };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((done) => child.once("exit", done));
  child.kill("SIGTERM");
  await ended;
}

/** The supervisor and the processes below it that run on its Node.js. */
function processesBelow(supervisor: number, program: string): Map<string, number> {
  const found = new Map([["supervisor", supervisor]]);
  const counts = new Map<string, number>();
  for (const pid of childrenOf(supervisor)) {
    try {
      if (readlinkSync(`/proc/${pid}/exe`) !== program) continue;
      const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
      const name = basename(words.find((word) => word.endsWith(".js")) ?? "", ".js");
      const count = (counts.get(name) ?? 0) + 1;
      counts.set(name, count);
      found.set(count === 1 ? name : `${name} ${count}`, pid);
    } catch {
      // It has ended, or is PostgreSQL, which runs under another account.
    }
  }
  return found;
}

export function childrenOf(parent: number): number[] {
  const pids = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => parentOf(pid) === parent).map(Number);
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return null;
  }
}

/** Signs root in and returns the cookies. */
export async function signIn(url: string): Promise<string> {
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

/** Reads an answer to its end. Throws unless it is 200 and of the address that was asked for. */
export async function readWhole(asked: Promise<Response>): Promise<void> {
  const answer = await asked;
  const text = await answer.text();
  if (answer.status !== 200 || answer.redirected)
    throw new Error(`${answer.url} said ${answer.status}: ${text.slice(0, 200)}`);
}
