import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { setUpBundle } from "@/lib/testing/bundled-server";

const pathOf = setUpBundle(["gateway"]);

test("the thread that counts tokens lies where the bundled gateway looks for it", () => {
  const folder = dirname(pathOf("gateway"));
  const chunks = readdirSync(folder).filter((name) => name.endsWith(".js"));
  const users = chunks.filter((name) => readFileSync(join(folder, name), "utf8").includes('"./count-thread.mjs"'));
  expect(users).toHaveLength(1);
  expect(existsSync(join(folder, "count-thread.mjs"))).toBe(true);
});
