// A start with a variable that cannot be used: it ends at once, with the variable's name and no secret, before anything is made.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ENVIRONMENT_NAMES } from "@/lib/env";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { WRONG } from "../attacks/wrong-variables";

const entry = setUpBundle(["main"]);
const folder = mkdtempSync(join(tmpdir(), "weir-variables-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The supervisor with these variables and none of this process's. */
async function start(data: string, wrong: Partial<Record<string, string>>): Promise<{ code: number; output: string }> {
  const inherited = Object.entries(process.env).filter(([name]) => !ENVIRONMENT_NAMES.includes(name));
  const settings = { PORT: "0", HOST: "127.0.0.1", WEIR_DATA_DIR: join(folder, data) };
  const child = spawn(process.execPath, [entry("main")], {
    env: { ...Object.fromEntries(inherited), ...settings, ...wrong } as unknown as NodeJS.ProcessEnv,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 60_000,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += String(bytes)));
  const [code] = (await once(child, "close")) as [number];
  return { code, output };
}

test("all at once are named in one message, each with what it may be", async () => {
  const { code, output } = await start("all", WRONG);
  expect(code).toBe(1);
  for (const name of Object.keys(WRONG)) expect(output).toMatch(new RegExp(`^ {2}${name} .{10}`, "m"));
  expect(output).not.toMatch(/HID|DEN/);
  expect(existsSync(join(folder, "all"))).toBe(false);
}, 120_000);

describe.concurrent("each alone", () => {
  test.each(Object.entries({ ...WRONG, WEIR_BASE_PATH: "/weir" }))(
    "%s=%s",
    async (name, value) => {
      const { code, output } = await start(name, { [name]: value });
      expect(code).toBe(1);
      expect(output).toMatch(new RegExp(`\\b${name}\\b`));
      expect(output).not.toMatch(/HID|DEN/);
      expect(existsSync(join(folder, name))).toBe(false);
    },
    240_000,
  );
});
