import { chmodSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { createRunFolder } from "@/lib/testing/run-folder";
import { socketFolder } from "./socket-folder";

const directory = createRunFolder("socket");
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test("a folder that can hold a socket is used, and nothing is left in it", async () => {
  expect(await socketFolder(directory, 5432)).toBe(directory);
  expect(readdirSync(directory)).toEqual([]);
});

test("the database is reached by TCP where there can be no socket: a long path, a folder that is missing", async () => {
  const long = join(directory, "a".repeat(100));
  mkdirSync(long);
  expect(await socketFolder(long, 5432)).toBe("");
  expect(await socketFolder(join(directory, "none"), 5432)).toBe("");
});

test.skipIf(process.getuid?.() === 0)("the database is reached by TCP where this account may not enter", async () => {
  const closed = join(directory, "closed");
  mkdirSync(closed);
  chmodSync(closed, 0o500);
  expect(await socketFolder(closed, 5432)).toBe("");
});
