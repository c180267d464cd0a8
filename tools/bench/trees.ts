import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, rmSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { createDatabase } from "@/db/client";
import type { EmbeddedPostgres } from "@/server/embedded-postgres";
import { type Alternative, askProgram, type GatewayProcess, startGateway } from "./alternatives";

const run = promisify(execFile);

/** A Weir that takes part, as `--trees` names it. */
export type Tree = {
  name: string;
  /** A folder with a checkout, a commit, or the path of a bundle of this checkout's gateway. */
  place: string;
};

export const TREES_FORM = "[NAME=]FOLDER|COMMIT|BUNDLE.js,…";

/** Throws with what is wrong. */
export function parseTrees(text: string): Tree[] {
  const trees = text.split(",").map((part) => {
    const [, name, place] = /^([\w. -]+)=(.+)$/.exec(part) ?? [];
    return { name: name ?? part, place: place ?? part };
  });
  for (const [index, { name, place }] of trees.entries()) {
    if (place.trim() === "") throw new Error(`--trees: a place is empty; the form is ${TREES_FORM}`);
    if (/^(direct|floor|nginx)$/.test(name)) throw new Error(`--trees: the name ${name} is taken`);
    if (trees.findIndex((other) => other.name === name) < index)
      throw new Error(`--trees: the name ${name} is given twice`);
  }
  return trees;
}

type Checkout = { folder: string; bundle: string };

/** What takes away what was made outside of the bench's own folder. */
const undoings: (() => void)[] = [];

export function removeCheckouts(): void {
  for (const undo of undoings.splice(0)) undo();
}

/** Different for each tree of each run. */
const idOf = (directory: string) => createHash("sha256").update(directory).digest("hex").slice(0, 12);

/** Where one tree's sources and its gateway are. A commit is checked out below `directory` and has the packages of this checkout. */
async function checkOut({ place }: Tree, directory: string): Promise<Checkout> {
  if (place.endsWith(".js")) return { folder: process.cwd(), bundle: resolve(place) };
  const isFolder = existsSync(join(place, "scripts", "bundle.mjs"));
  const folder = isFolder ? resolve(place) : join(directory, "tree");
  if (!isFolder) {
    await run("git", ["worktree", "add", "--detach", folder, place]);
    undoings.push(() => execFileSync("git", ["worktree", "remove", "--force", folder]));
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  }
  // dist/ may belong to a Weir that runs, and trees may share a folder of packages.
  const outdir = join("node_modules", ".cache", `weir-bench-${idOf(directory)}`);
  undoings.unshift(() => rmSync(join(folder, outdir), { recursive: true, force: true }));
  const bundling = `const { bundleServer } = await import("./scripts/bundle.mjs");
await bundleServer({ names: ["gateway", "worker"], outdir: ${JSON.stringify(outdir)} });
process.exit();`;
  await run(process.execPath, ["--input-type=module", "-e", bundling], { cwd: folder });
  return { folder, bundle: join(folder, outdir, "gateway.js") };
}

/** Fills the tree's database by its own migrations and tools, which are below bench/ in older ones. Its last line is the result. */
const preparing = `import { existsSync } from "node:fs";
const [url, upstream] = process.argv.slice(1);
const { prepareDatabase } = await import(existsSync("tools/bench/weir.ts") ? "./tools/bench/weir.ts" : "./bench/weir.ts");
const key = await prepareDatabase(url, upstream, "bench-model,bench-bulk");
const [place] = ["./server/processes.ts", "./server/node-flags.ts"].filter((file) => existsSync(file)).reverse();
const { GATEWAY_FLAGS: flags = [] } = place ? await import(place) : {};
console.log("\\n" + JSON.stringify({ key, flags }));
process.exit();`;

async function prepareByTree(folder: string, url: string, upstream: string): Promise<{ key: string; flags: string[] }> {
  const args = ["--import", "tsx", "--input-type=module", "-e", preparing, url, upstream];
  const { stdout } = await run(process.execPath, args, { cwd: folder });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
}

/** The same server's database of another name. */
function onDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

type Setting = { postgres: EmbeddedPostgres; databasePid: number; upstream: string; directory: string };

export type StartedTree = { alternative: Alternative; gateway: GatewayProcess; databaseUrl: string; key: string };

/** Starts the gateway of a tree with a database, a journal and a log of its own below `directory`. */
export async function startTree(
  tree: Tree,
  { postgres, databasePid, upstream, directory }: Setting,
): Promise<StartedTree> {
  const { folder, bundle } = await checkOut(tree, directory);
  const database = `bench_${idOf(directory)}`;
  const { sql, end } = createDatabase({ url: postgres.url, max: 1, applicationName: "weir-bench" });
  await sql.unsafe(`create database ${database}`);
  await end();
  const { key, flags } = await prepareByTree(folder, onDatabase(postgres.url, database), upstream);
  const databaseUrl = onDatabase(postgres.localUrl, database);
  const env = { DATABASE_URL: databaseUrl, WEIR_JOURNAL_DIR: join(directory, "journal") };
  const gateway = await startGateway(bundle, env, { logFile: join(directory, "gateway.log"), folder, flags });
  const { port, pid } = gateway;
  const url = `http://127.0.0.1:${port}/v1/chat/completions`;
  const allocated = () => askProgram<number>(pid, "allocated");
  return { alternative: { name: tree.name, url, pid, key, databasePid, allocated }, gateway, databaseUrl, key };
}
