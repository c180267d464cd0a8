import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { lockDataDirectory, openDataDirectory } from "./data-directory";

const folder = createRunFolder("data-directory");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a data directory that cannot be used is refused in words", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(() => openDataDirectory(file)).toThrow(`The data directory ${file} is a file, not a folder.`);
  expect(() => openDataDirectory(join(file, "below"))).toThrow("is a file, not a folder.");
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
