import { chownSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
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

test.runIf(process.getuid?.() === 0)("root does not touch data of another account, and is told which", () => {
  const directory = join(folder, "of-another");
  mkdirSync(directory);
  const secret = join(directory, "secret");
  writeFileSync(secret, "a secret of sixteen characters\n");
  chownSync(secret, 1, 1);
  const expected = `The data in ${directory} belongs to the account daemon, and this is root.`;
  expect(() => openDataDirectory(directory)).toThrow(expected);
  expect(() => lockDataDirectory(directory)).toThrow(expected);
  chownSync(secret, 0, 0);
  openDataDirectory(directory);
  lockDataDirectory(directory)();
});
