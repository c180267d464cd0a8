import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ADDRESSES, HOST, type Machine, makeBase, makeMachine, makeNetwork, removeMachine } from "./evening-machines";
import { readSteps, type Step } from "./evening-steps";

// An evening of a new operator: eleven empty machines, and the commands of docs/cluster.md one after the other.
// docs/cluster.md says how to run it. Nothing but what stands there is done to the machines, except as said in `adapted`.

const { values: options } = parseArgs({
  options: {
    folder: { type: "string", default: "/var/tmp/weir-evening" },
    base: { type: "string" },
    "node-archive": { type: "string", default: "https://nodejs.org/dist/v24.21.0/node-v24.21.0-linux-x64.tar.xz" },
    keep: { type: "boolean", default: false },
  },
});
const folder = options.folder;
const base = options.base ?? join(folder, "base");
const start = Date.now();
const say = (text: string): void => console.log(`[${((Date.now() - start) / 1000).toFixed(0).padStart(4)} s] ${text}`);

/** What a page cannot know: where the program and Node.js come from. */
function adapted(commands: string): string {
  return commands
    .replaceAll("URL_OF_WEIR", `git://${HOST}/weir`)
    .replace(/https:\/\/nodejs\.org\/dist\/\S+/g, options["node-archive"]);
}

async function runStep(step: Step, machines: Map<string, Machine>): Promise<void> {
  const run = async (name: string): Promise<void> => {
    const before = Date.now();
    const place = existsSync(join(machines.get(name)?.root ?? "", "root/weir")) ? "cd /root/weir; " : "";
    // As a person who pastes line by line: a line that fails does not end the step, and is told.
    const script = `${place}trap 'echo "FAILED: $BASH_COMMAND"' ERR\n${adapted(step.commands)}`;
    const { output } = (await machines.get(name)?.run(script)) ?? { output: "FAILED: no such machine" };
    const failures = output.split("\n").filter((line) => /^FAILED: (?!grep password)/.test(line));
    say(`  ${name}: ${failures.length === 0 ? "ok" : "FAILED"}, ${((Date.now() - before) / 1000).toFixed(0)} s`);
    if (failures.length > 0) throw new Error(`${step.title}\n${name}:\n${output.slice(-4000)}`);
    const tail = output.trim().split("\n").slice(-4);
    if (step.machines.length <= 3) for (const line of tail) console.log(`           ${line.slice(0, 160)}`);
  };
  say(step.title);
  if (step.isInTurn) for (const name of step.machines) await run(name);
  else await Promise.all(step.machines.map(run));
}

/** The values of pg1 on all machines, and what was built on weir1 on weir2, as `scp` and `tar` would bring them. */
function copy(step: Step, machines: Map<string, Machine>): void {
  const root = (name: string): string => machines.get(name)?.root ?? "";
  if (step.commands.includes("openssl rand"))
    for (const name of Object.keys(ADDRESSES))
      if (name !== "pg1") must(`cp -p ${root("pg1")}/root/weir/cluster.env ${root(name)}/root/weir/`);
  // HAProxy opens twice as many files as its maxconn says; where this machine's own limit is lower, so is that of all of these.
  if (step.title.endsWith("on every machine:") && Number(filesAtMost()) < 40_100)
    must(`sed -i 's/maxconn 20000/maxconn 9000/' ${root("lb")}/root/weir/ops/haproxy/haproxy.cfg`);
  if (step.title === "deploy.md, the program") {
    say("the program is copied to weir2");
    must(`tar -C ${root("weir1")}/opt -c weir | tar -C ${root("weir2")}/opt -x`);
  }
}

function must(command: string): string {
  const { status, stdout, stderr } = spawnSync("bash", ["-o", "pipefail", "-c", command], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}

const filesAtMost = (): string => must("ulimit -Hn").trim();

function serveProgram(): ChildProcess {
  const served = join(folder, "served");
  rmSync(served, { recursive: true, force: true });
  must(`git clone -q --bare . ${served}/weir`);
  const daemon = [`--listen=${HOST}`, `--base-path=${served}`, "--export-all", "--reuseaddr"];
  return spawn("git", ["daemon", ...daemon], { stdio: "ignore", detached: true });
}

async function evening(machines: Map<string, Machine>): Promise<void> {
  await Promise.all([...machines.values()].map((machine) => machine.on()));
  say(`${machines.size} machines have booted`);
  for (const step of readSteps()) {
    await runStep(step, machines);
    copy(step, machines);
  }
  say(`the cluster stands at https://${ADDRESSES.lb}`);
}

async function main(): Promise<void> {
  mkdirSync(folder, { recursive: true });
  makeBase(base);
  const removeNetwork = makeNetwork();
  const daemon = serveProgram();
  const machines = new Map<string, Machine>();
  for (const name of Object.keys(ADDRESSES)) machines.set(name, makeMachine(join(folder, name), base, name));
  const ended = new Promise<void>((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  try {
    await Promise.race([evening(machines), ended]);
    if (options.keep) await ended;
  } finally {
    await Promise.all([...machines.values()].map((machine) => machine.kill().catch(() => {})));
    if (daemon.pid) process.kill(-daemon.pid);
    for (const name of machines.keys()) removeMachine(join(folder, name));
    removeNetwork();
    process.exit();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
