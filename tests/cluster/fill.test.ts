import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { fillFile } from "./fill";

const folder = mkdtempSync(join(tmpdir(), "fill-"));
afterAll(() => rmSync(folder, { recursive: true }));

const values = { WEIR_PASSWORD: "a1", WEIR_SECRET: "b2", LOG_PASSWORD: "c3" };
const fill = (file: string, changed: Record<string, string> = {}): string =>
  fillFile(join(folder, "values.env"), file, { ...values, ...changed });

test("fill.sh puts values in place, also where two of them touch", () => {
  expect(fill("userlist.txt")).toBe('"weir" "a1"\n');
  expect(fill("weir-log-store.env")).toContain(
    "clickhouse://weir:c3@10.0.0.41,10.0.0.42,10.0.0.43,10.0.0.44/weir?cluster=weir",
  );
  expect(fill("weir.env")).toMatch(/^WEIR_SECRET=b2$/m);
});

test("fill.sh prints nothing where a password was not filled in", () => {
  expect(() => fill("weir.env", { WEIR_PASSWORD: "" })).toThrow("has no value for WEIR_PASSWORD");
});

test.each(["a&b", "a|b", "a\\b", "a'b", 'a"b', "a@b", "a b", "a%20b", "a#b", "a1\r"])(
  "fill.sh refuses the password %j, which one of the files could not have in it",
  (password) => {
    expect(() => fill("userlist.txt", { WEIR_PASSWORD: password })).toThrow("may have only letters and digits");
  },
);

test("fill.sh refuses an address with the end of a line of Windows", () => {
  expect(() => fill("haproxy.cfg", { PG2: "10.0.0.12\r" })).toThrow("PG2 in");
});
