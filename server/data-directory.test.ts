import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { lockDataDirectory, openDataDirectory } from "./data-directory";
import { prepareClusterDirectory } from "./postgres-binaries";

const folder = createRunFolder("data-directory");
/** For processes of other accounts, which cannot read the sources. */
const bundle = join(folder, "data-directory.cjs");
beforeAll(() => {
  chmodSync(folder, 0o711);
  const contents = 'export * from "./server/data-directory"; export * from "./server/doctor/machine";';
  const stdin = { contents, resolveDir: process.cwd() };
  buildSync({ stdin, outfile: bundle, bundle: true, platform: "node", format: "cjs", logLevel: "silent" });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a data directory that cannot be used is refused in words", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(() => openDataDirectory(file)).toThrow(`The data directory ${file} is a file, not a folder.`);
  expect(() => openDataDirectory(join(file, "below"))).toThrow("is a file, not a folder.");
});

/** What an account without a name, in its group alone, gets from a function of the bundle for this folder. */
function asAccount(call: "openDataDirectory" | "checkDataDirectory", directory: string): string {
  const script = `
    const { ${call} } = require(${JSON.stringify(bundle)});
    try { console.log(JSON.stringify(${call}(process.argv[1]) ?? "opened")); } catch (error) { console.log(error.message); }`;
  const words = ["--reuid", "10001", "--regid", "10001", "--groups", "10001", process.execPath, "-e", script];
  const env = { NODE_ENV: "test", PATH: process.env.PATH } as const;
  return execFileSync("setpriv", [...words, directory], { encoding: "utf8", env }).trim();
}
const openAs = (directory: string): string => asAccount("openDataDirectory", directory);

describe.runIf(process.platform === "linux" && process.getuid?.() === 0)("in a container", () => {
  /** A folder as somebody else leaves it. */
  function volume(name: string, mode: number, uid = 0, gid = 0): string {
    const directory = join(folder, name);
    mkdirSync(directory);
    chownSync(directory, uid, gid);
    chmodSync(directory, mode);
    return directory;
  }
  const modeOf = (path: string): number => statSync(path).mode & 0o7777;

  test.each([
    ["root's, for a group (fsGroup)", 0o2775, 0, 10_001],
    ["root's, for everybody", 0o1777, 0, 0],
    ["of its own, open to the group", 0o2770, 10_001, 10_001],
    ["of its own, as a volume of podman", 0o755, 10_001, 10_001],
  ])("a volume that can be written is used as it is: %s", (name, mode, uid, gid) => {
    const directory = volume(`volume-${name.replaceAll(/\W/g, "-")}`, mode, uid, gid);
    expect(openAs(directory)).toBe('"opened"');
    expect(modeOf(directory)).toBe(mode);
    expect(readdirSync(directory)).toEqual([]);
  });

  test.each([
    ["root's", 0o755],
    ["of another group", 0o2775],
  ])("one that cannot be written is refused with its account, which needs no name: %s", (name, mode) => {
    const said = openAs(volume(`closed-${name.replaceAll(/\W/g, "-")}`, mode));
    expect(said).toContain(
      "cannot be written by the account that runs Weir, now account 10001, which has no name here",
    );
  });

  test("a folder that Weir makes is its own, whatever the umask", () => {
    const parent = volume("parent", 0o777);
    expect(openAs(join(parent, "new", "data"))).toBe('"opened"');
    expect(modeOf(join(parent, "new", "data"))).toBe(0o700);
  });

  test("root lets its database pass through a folder of its own, and changes nothing else of it", () => {
    const directory = volume("of-root", 0o2700);
    openDataDirectory(directory);
    expect(modeOf(directory)).toBe(0o2711);
  });

  test("a cluster that a volume's group may write is closed again, and one that cannot be reached is never removed", () => {
    const owner = { uid: 10_002, gid: 10_002 };
    const cluster = volume("cluster", 0o2770, owner.uid, owner.gid);
    writeFileSync(join(cluster, "PG_VERSION"), "15\n");
    chmodSync(folder, 0o711);
    prepareClusterDirectory(cluster, owner);
    expect(modeOf(cluster)).toBe(0o700);
    const closed = volume("closed-parent", 0o700);
    const data = join(closed, "data");
    mkdirSync(data);
    writeFileSync(join(data, "PG_VERSION"), "15\n");
    expect(() => prepareClusterDirectory(data, owner)).toThrow(`cannot reach ${data}`);
    expect(readdirSync(data)).toEqual(["PG_VERSION"]);
  });

  test("doctor has nothing to say of a volume that only its group may write", () => {
    const directory = volume("for-doctor", 0o2775, 0, 10_001);
    expect(JSON.parse(asAccount("checkDataDirectory", directory))).toMatchObject({ level: "ok" });
    const secret = join(directory, "secret");
    writeFileSync(secret, "");
    chownSync(secret, 1, 1);
    expect(JSON.parse(asAccount("checkDataDirectory", directory))).toMatchObject({ level: "warning" });
  });
});

test.runIf(process.getuid?.() === 0)("root does not touch data of another account, and is told which", async () => {
  const directory = join(folder, "of-another");
  mkdirSync(directory);
  const secret = join(directory, "secret");
  writeFileSync(secret, "a secret of sixteen characters\n");
  chownSync(secret, 1, 1);
  const expected = `The data in ${directory} belongs to the account daemon, and this is root.`;
  expect(() => openDataDirectory(directory)).toThrow(expected);
  await expect(lockDataDirectory(directory)).rejects.toThrow(expected);
  chownSync(secret, 0, 0);
  openDataDirectory(directory);
  (await lockDataDirectory(directory))();
});

const inUse = "Weir already runs with this data directory";

test("a data directory in use is refused, also where the process id on file is one of another container", async () => {
  const directory = mkdtempSync(join(folder, "in-use-"));
  const release = await lockDataDirectory(directory);
  await expect(lockDataDirectory(directory)).rejects.toThrow(inUse);
  writeFileSync(join(directory, "weir.pid"), `${2 ** 30}\n`);
  await expect(lockDataDirectory(directory)).rejects.toThrow(inUse);
  release();
  (await lockDataDirectory(directory))();
  expect(readdirSync(directory)).toEqual([]);
});

test("of ten starts at once with one data directory, one gets it", async () => {
  const directory = mkdtempSync(join(folder, "ten-"));
  const starts = await Promise.allSettled(Array.from({ length: 10 }, () => lockDataDirectory(directory)));
  expect(starts.filter(({ status }) => status === "fulfilled").length).toBe(1);
});

test("of ten starts at once after a kill -9, one gets the data directory", async () => {
  const directory = mkdtempSync(join(folder, "ten-after-"));
  const socket = JSON.stringify(join(directory, "weir.sock"));
  const hold = `require("net").createServer().listen(${socket}, () => process.kill(process.pid, "SIGKILL"))`;
  await once(spawn(process.execPath, ["-e", hold], { stdio: "inherit" }), "exit");
  const starts = await Promise.allSettled(Array.from({ length: 10 }, () => lockDataDirectory(directory)));
  expect(starts.filter(({ status }) => status === "fulfilled").length).toBe(1);
});

test("kill -9 leaves the data directory free, whatever process has the old process id by then", async () => {
  const directory = mkdtempSync(join(folder, "killed-"));
  const hold = `require("net").createServer().listen(${JSON.stringify(join(directory, "weir.sock"))}, () => console.log("held"))`;
  const holder = spawn(process.execPath, ["-e", hold], { stdio: ["ignore", "pipe", "inherit"] });
  await once(holder.stdout, "data");
  const other = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => {}, 1000)", "bin/weir.mjs"]);
  await once(other.stdout, "data");
  try {
    writeFileSync(join(directory, "weir.pid"), `${other.pid}\n`);
    await expect(lockDataDirectory(directory)).rejects.toThrow(inUse);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    (await lockDataDirectory(directory))();
    // Of a version that held no socket the process id is all that there is.
    writeFileSync(join(directory, "weir.pid"), `${other.pid}\n`);
    await expect(lockDataDirectory(directory)).rejects.toThrow(inUse);
  } finally {
    holder.kill("SIGKILL");
    other.kill("SIGKILL");
  }
});

test("where the path is too long for a socket, the process id decides alone", async () => {
  const directory = join(folder, "x".repeat(100));
  mkdirSync(directory);
  const release = await lockDataDirectory(directory);
  expect(readdirSync(directory)).toEqual(["weir.pid"]);
  release();
});
