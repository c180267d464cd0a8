// What the image holds, without the image: the folder of scripts/image-tree.mjs, read-only, used by an account without rights.
import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { writeImageTree } from "@/scripts/image-tree.mjs";
import { childrenOf, databaseUrl, isAlive, until } from "@/tests/runtime/weir-process";
import { freePort } from "@/tools/bench/alternatives";
import { prepareDatabase } from "@/tools/bench/weir";

/** One of every Debian that has no rights; PostgreSQL needs one with a name. */
const [ACCOUNT, GROUP] = [65_534, 65_534];
const PASSWORD = "root-of-the-image";
const minuteMs = 60_000;
// On the file system of the packages where that is possible: then it is made of hard links.
const folder = createRunFolder("image-tree", tmpdir());
const tree = join(folder, "weir");
const data = join(folder, "data");
let env: NodeJS.ProcessEnv;
let upstream: FakeUpstream;
let weir: ChildProcess | undefined;

type Outcome = { code: number | null; output: string };

/** The tree is read-only for it, but for Next.js' cache. What is started ends with `node` itself, not with a shell. */
const AS_IN_A_CONTAINER = `
  mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && mount -t tmpfs -o mode=1777 tmpfs "$1/.next/cache" || exit 99
  cd "$1" && shift
  exec setpriv --reuid ${ACCOUNT} --regid ${GROUP} --clear-groups --no-new-privs --bounding-set=-all "$@"`;

function start(...words: string[]): { child: ChildProcess; output: () => string } {
  const program = ["--mount", "sh", "-c", AS_IN_A_CONTAINER, "sh", tree, process.execPath, ...words];
  const child = spawn("/usr/bin/unshare", program, {
    env: { ...env, PATH: process.env.PATH },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part: Buffer) => (output += part.toString()));
  return { child, output: () => output };
}

function run(...words: string[]): Promise<Outcome> {
  const { child, output } = start(...words);
  return new Promise((done) => child.once("close", (code) => done({ code, output: output() })));
}

const filesOf = (part: string, name: RegExp): string[] =>
  readdirSync(join(tree, part), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && name.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name));

const command = (...words: string[]) => run("bin/weir.mjs", ...words);

beforeAll(async () => {
  writeImageTree(tree);
  mkdirSync(join(tree, ".next", "cache"));
  mkdirSync(data);
  chmodSync(folder, 0o755);
  chownSync(data, ACCOUNT, GROUP);
  upstream = await startFakeUpstream();
  env = {
    NODE_ENV: "production",
    HOST: "127.0.0.1",
    PORT: String(await freePort()),
    WEIR_METRICS_PORT: String(await freePort()),
    WEIR_DATA_DIR: data,
    WEIR_SECRET: process.env.WEIR_SECRET ?? "",
    WEIR_ROOT_PASSWORD: PASSWORD,
    WEIR_GATEWAY_WORKERS: "1",
    WEIR_DRAIN_PAUSE_SECONDS: "0",
    WEIR_FILL_WAL: "false",
  };
}, minuteMs);

afterAll(async () => {
  await stop();
  await upstream?.close();
  rmSync(folder, { recursive: true, force: true });
});

const address = (): string => `http://127.0.0.1:${env.PORT}`;

async function stop(): Promise<void> {
  if (!weir || weir.exitCode !== null || weir.signalCode !== null) return;
  const ended = new Promise((done) => weir?.once("exit", done));
  weir.kill("SIGTERM");
  await ended;
}

async function signIn(): Promise<string> {
  const answer = await fetch(`${address()}/api/user/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: address() },
    body: JSON.stringify({ username: "root", password: PASSWORD }),
  });
  expect(await answer.json()).toMatchObject({ success: true });
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

async function ask(key: string): Promise<string> {
  const answer = await fetch(`${address()}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "fake-gpt", stream: true, messages: [{ role: "user", content: "Say hello" }] }),
  });
  return answer.text();
}

/** The packages that a bundler finds in the built files of the processes and commands. */
async function importedByProcesses(): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: filesOf("dist", /\.m?js$/),
    outdir: folder,
    write: false,
    bundle: true,
    packages: "external",
    platform: "node",
    format: "esm",
    metafile: true,
    logLevel: "silent",
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))].sort();
}

/** Those of the console: parts of Next.js, and others under a name with a hash. */
function importedByConsole(): string[] {
  const calls = filesOf(join(".next", "server"), /\.js$/).flatMap((file) => [
    ...readFileSync(file, "utf8").matchAll(/\("(next\/dist\/[^"]+\.js|[^".][^"]*-[0-9a-f]{16}(?:\/[^"]+)?)"/g),
  ]);
  return [...new Set(calls.map(([, name = ""]) => name))].sort();
}

/** Loads all of them from a file in that folder of the tree. */
function load(names: string[], from: string): Promise<Outcome> {
  const program = join(from, "load-all.mjs");
  const text = `for (const name of ${JSON.stringify(names)}) await import(name);\nprocess.exit(0);\n`;
  writeFileSync(join(tree, program), text);
  return run(program);
}

test("whatever package the built files import can be loaded from the image's tree alone", async () => {
  for (let above = folder; above !== dirname(above); above = dirname(above))
    expect(existsSync(join(above, "node_modules")), above).toBe(false);
  const [ofProcesses, ofConsole] = [await importedByProcesses(), importedByConsole()];
  // A check of the checks: some that are imported late, and some that the console has under names with a hash.
  expect(ofProcesses).toEqual(expect.arrayContaining(["@clickhouse/client", "@aws-sdk/client-s3", "mysql2/promise"]));
  expect(ofConsole.map((name) => name.replace(/-[0-9a-f]{16}$/, ""))).toEqual(
    expect.arrayContaining(["openid-client", "@simplewebauthn/server", "pdfkit"]),
  );
  expect(await load(ofProcesses, "dist")).toEqual({ code: 0, output: "" });
  expect(await load(ofConsole, join(".next", "server"))).toEqual({ code: 0, output: "" });
});

test(
  "gateway, console and worker start from it without writing into it, and serve",
  async () => {
    const { child, output } = start("bin/weir.mjs", "start");
    weir = child;
    const pid = child.pid ?? 0;
    await until("Weir is ready", () => output().includes("ready in") || !isAlive(pid), 2 * minuteMs);
    const programs = childrenOf(pid).flatMap(({ command: words }) => /\/dist\/(\w+)\.js/.exec(words)?.[1] ?? []);
    expect(programs.sort(), output()).toEqual(["console", "gateway", "worker"]);
    expect(await run("ops/container/health.mjs")).toEqual({ code: 0, output: "" });

    const page = await (await fetch(`${address()}/login`)).text();
    const parts = [...new Set([...page.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+)"/g)].map(([, path]) => path))];
    expect(parts.length).toBeGreaterThan(3);
    const statuses = await Promise.all(parts.map(async (path) => (await fetch(`${address()}${path}`)).status));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const cookie = await signIn();
    const statement = await fetch(
      `${address()}/topup/statement?month=${new Date().toISOString().slice(0, 7)}&format=pdf`,
      {
        headers: { cookie },
      },
    );
    expect([statement.status, (await statement.text()).slice(0, 5)]).toEqual([200, "%PDF-"]);

    const key = await prepareDatabase(databaseUrl(data), upstream.url, "fake-gpt");
    await expect.poll(() => ask(key), { timeout: minuteMs }).toMatch(/^data: \{[\s\S]*data: \[DONE\]\s*$/);
  },
  3 * minuteMs,
);

test(
  "its commands work beside it and after it, without writing into it",
  async () => {
    const { commands } = (await import("@/bin/commands.mjs" as string)) as {
      commands: Record<string, { handsOn?: boolean }>;
    };
    // Those that hand on their words run sources.
    const names = Object.keys(commands).filter((name) => !commands[name]?.handsOn);
    const helps = await Promise.all(names.map((name) => command(name, "--help")));
    expect(helps.filter(({ code }) => code !== 0)).toEqual([]);
    const beside = [
      ["doctor", "--egress-url", upstream.url],
      ["reconcile"],
      ["backup", data, "--plain"],
      ["user", "list"],
    ];
    for (const words of beside) expect(await command(...words), words.join(" ")).toMatchObject({ code: 0 });

    await stop();
    expect(await command("migrate")).toEqual({ code: 0, output: expect.stringContaining("database up to date") });
  },
  2 * minuteMs,
);
