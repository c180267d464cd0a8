import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bundleOnce } from "./bundled-server";
import { createRunFolder } from "./run-folder";

const root = createRunFolder("bundled-server");
afterAll(() => rmSync(root, { recursive: true }));

function folder(name: string): string {
  const path = join(root, name);
  mkdirSync(path);
  return path;
}

test("files that need the server at the same time bundle it once, and each goes on when it is there", async () => {
  const path = folder("shared");
  let bundled = 0;
  const bundle = async ({ outdir = "" }) => {
    bundled += 1;
    await new Promise(setImmediate);
    mkdirSync(outdir);
    writeFileSync(join(outdir, "main.js"), "");
  };
  const isThere = () => bundleOnce(path, bundle).then(() => existsSync(join(path, "server", "main.js")));
  expect(await Promise.all([isThere(), isThere(), isThere()])).toEqual([true, true, true]);
  expect(await isThere()).toBe(true);
  expect(bundled).toBe(1);
});

test("where bundling fails, its file fails and the next one tries again", async () => {
  const path = folder("failing");
  await expect(bundleOnce(path, () => Promise.reject(new Error("no such entry")))).rejects.toThrow("no such entry");
  await bundleOnce(path, async ({ outdir = "" }) => void mkdirSync(outdir));
  expect(existsSync(join(path, "server"))).toBe(true);
});
