// The pods of the chart as its templates say, without Kubernetes: account, groups, variables, a read-only root with nothing but
// the volumes to write in, which are root's and open to the group as kubelet makes them, 512 MB and two processors.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createRunFolder } from "@/lib/testing/run-folder";
// @ts-expect-error: scripts run before anything is installed, so they are plain JavaScript
import { writeImageTree } from "@/scripts/image-tree.mjs";
import { childrenOf, isAlive, until } from "@/tests/runtime/weir-process";
import { freePort } from "@/tools/bench/alternatives";
import { prepareDatabase } from "@/tools/bench/weir";
import { containerOf } from "./chart-containers";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres";

const MEMORY_BYTES = 512 * 1_048_576;
const READY_MS = 120_000;
const folder = createRunFolder("pod", tmpdir());
const databaseFolder = createRunFolder("pod-postgres");
const tree = join(folder, "weir");
const groupName = `weir-pod-${process.pid}`;
let postgres: OwnPostgres;
let upstream: FakeUpstream;
const groups: string[] = [];
const running: ChildProcess[] = [];

/** Folders of control groups with these limits; none where this machine lets nobody make any. */
function limit(processors: number): string[] {
  const period = 100_000;
  const quota = processors * period;
  const root = "/sys/fs/cgroup";
  const wanted: [string, Record<string, string>][] = existsSync(join(root, "cgroup.controllers"))
    ? [[root, { "memory.max": String(MEMORY_BYTES), "cpu.max": `${quota} ${period}` }]]
    : [
        [join(root, "memory"), { "memory.limit_in_bytes": String(MEMORY_BYTES) }],
        [join(root, "cpu"), { "cpu.cfs_period_us": String(period), "cpu.cfs_quota_us": String(quota) }],
      ];
  try {
    return wanted.map(([parent, files]) => {
      const made = join(parent, `${groupName}-${processors}`);
      mkdirSync(made);
      groups.push(made);
      for (const [name, text] of Object.entries(files)) writeFileSync(join(made, name), text);
      return made;
    });
  } catch {
    return [];
  }
}

/** $1 = Node.js, $2 = the tree, $3 = a folder to put both together; then "path" of each volume, "--", and the command. */
const AS_IN_A_POD = (uid: number, gid: number, fsGroup: number): string => `
  set -e
  node="$1"; tree="$2"; stage="$3"; shift 3
  mount -t tmpfs -o mode=755 tmpfs "$stage" && mkdir "$stage/weir" && touch "$stage/node"
  mount --bind "$node" "$stage/node" && mount --bind "$tree" "$stage/weir" && mount -o remount,ro,bind "$stage/weir"
  mount --rbind "$stage" /opt
  mount -t tmpfs -o mode=755 tmpfs /var && mkdir -p /var/lib/weir
  while [ "$1" != "--" ]; do mount -t tmpfs -o mode=2775,uid=0,gid=${fsGroup} tmpfs "$1"; shift; done
  shift
  mount -o remount,ro,bind /opt && mount -o remount,ro /var && mount -o remount,ro,bind /
  cd /opt/weir
  exec setpriv --reuid ${uid} --regid ${gid} --groups ${fsGroup} --no-new-privs --bounding-set=-all --inh-caps=-all /opt/node "$@"`;

type Pod = { child: ChildProcess; output: () => string; port: number; metricsPort: number };

async function start(part: Parameters<typeof containerOf>[0], limits: string[]): Promise<Pod> {
  const { args, uid, gid, fsGroup, mounts, env } = containerOf(part);
  const [port, metricsPort] = [await freePort(), await freePort()];
  const enter = limits.map((group) => `echo $$ > ${group}/cgroup.procs;`).join(" ");
  const stage = join(folder, `stage-${part}`);
  mkdirSync(stage);
  const inPod = [process.execPath, tree, stage, ...mounts, "--", "bin/weir.mjs", ...args];
  const script = `${enter} exec unshare --mount sh -c "$0" sh "$@"`;
  const child = spawn("/bin/sh", ["-c", script, AS_IN_A_POD(uid, gid, fsGroup), ...inPod], {
    // The variables of the image; ports of its own because the network is the machine's.
    env: {
      NODE_ENV: "production",
      PATH: process.env.PATH,
      HOME: "/",
      ...env,
      HOST: "127.0.0.1",
      PORT: String(port),
      WEIR_METRICS_PORT: String(metricsPort),
      WEIR_METRICS_HOST: "127.0.0.1",
      WEIR_DRAIN_PAUSE_SECONDS: "0",
      WEIR_SECRET: process.env.WEIR_SECRET ?? "",
      DATABASE_URL: postgres.url,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part_: Buffer) => (output += part_.toString()));
  return { child, output: () => output, port, metricsPort };
}

async function startReady(part: Parameters<typeof containerOf>[0], limits: string[]): Promise<Pod> {
  const pod = await start(part, limits);
  const pid = pod.child.pid ?? 0;
  await until(`${part} is ready`, () => pod.output().includes("ready in") || !isAlive(pid), READY_MS);
  expect(pod.output()).toContain("ready in");
  return pod;
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function stop({ child, output }: Pod): Promise<void> {
  child.kill("SIGTERM");
  if (!hasEnded(child)) await once(child, "exit");
  expect({ code: child.exitCode, output: output() }).toMatchObject({ code: 0 });
  expect(output()).not.toMatch(/EROFS|EACCES|EPERM|ENOENT|"level":"(error|fatal)"/);
}

const readyAt = async (port: number): Promise<number> => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;

beforeAll(async () => {
  writeImageTree(tree);
  mkdirSync(join(tree, ".next", "cache"));
  chmodSync(folder, 0o755);
  chmodSync(databaseFolder, 0o711);
  postgres = await startOwnPostgres(databaseFolder);
  upstream = await startFakeUpstream();
});

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (hasEnded(child)) continue;
    child.kill("SIGKILL");
    await once(child, "exit");
  }
  for (const group of groups.splice(0)) await until("its processes have ended", () => removed(group));
});

afterAll(async () => {
  await upstream?.close();
  await postgres?.stop();
  for (const path of [folder, databaseFolder]) rmSync(path, { recursive: true, force: true });
});

function removed(group: string): boolean {
  try {
    rmdirSync(group);
    return true;
  } catch {
    return false;
  }
}

test("the chart's pods start, serve and end as they are rendered: account 10001 without a name, volumes of kubelet's, a read-only root, 512 MB, two processors", async () => {
  const parts = ["gateway", "console", "worker", "migration"] as const;
  for (const part of parts) {
    const expected = { uid: 10_001, fsGroup: 10_001, isRootReadOnly: true, mayEscalate: false, dropped: ["ALL"] };
    expect(containerOf(part), part).toMatchObject(expected);
  }
  const limits = limit(2);
  const migration = await start("migration", limits);
  await once(migration.child, "exit");
  expect(migration.output()).toContain("database up to date");
  expect(migration.child.exitCode).toBe(0);
  const key = await prepareDatabase(postgres.url, upstream.url, "fake-gpt");

  const [gateway, worker] = await Promise.all([startReady("gateway", limits), startReady("worker", limits)]);
  const programs = childrenOf(gateway.child.pid ?? 0).flatMap(
    ({ command }) => /\/dist\/(\w+)\.js/.exec(command)?.[1] ?? [],
  );
  expect(programs).toEqual(["gateway"]);
  expect(await Promise.all([readyAt(gateway.port), readyAt(gateway.metricsPort), readyAt(worker.metricsPort)])).toEqual(
    [200, 200, 200],
  );
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "fake-gpt", stream: true, messages: [{ role: "user", content: "hi" }] }),
  });
  expect(await answer.text()).toMatch(/^data: \{[\s\S]*data: \[DONE\]\s*$/);
  await Promise.all([stop(gateway), stop(worker)]);

  const console_ = await startReady("console", limits);
  const page = await fetch(`http://127.0.0.1:${console_.port}/login`);
  expect([page.status, (await page.text()).includes("<html")]).toEqual([200, true]);
  await stop(console_);
});

test("where WEIR_GATEWAY_WORKERS is not set, a container runs as many gateways as its processors and its memory allow", async () => {
  const outfile = join(folder, "machine-share.cjs");
  const contents = 'export { defaultGateways } from "./server/machine-share"';
  await build({
    stdin: { contents, resolveDir: process.cwd() },
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "silent",
  });
  const limits = limit(1);
  const enter = limits.map((group) => `echo $$ > ${group}/cgroup.procs;`).join(" ");
  const program = `process.stdout.write(String(require(${JSON.stringify(outfile)}).defaultGateways()))`;
  const said = execFileSync("/bin/sh", ["-c", `${enter} exec "$0" -e "$1"`, process.execPath, program], {
    encoding: "utf8",
  });
  // Where this machine lets nobody make groups, server/machine-share.test.ts alone shows it.
  if (limits.length > 0) expect(said).toBe("1");
});
