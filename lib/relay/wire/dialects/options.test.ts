import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { DEAR_OPTIONS } from "@/lib/option/dear-options";
import { imageOptions } from "../../operations/images";
import { dialects } from ".";
import { dearNames, optionsTable, withoutDearItems } from "./common/option-rule";

const page = readFileSync(new URL("../../../../docs/request-options.md", import.meta.url), "utf8");

/** Removes the padding of table cells. */
function plain(markdown: string): string {
  return markdown.replace(/ *\| */g, "|").replace(/-{3,}/g, "---");
}

const tables = [
  ...[...dialects.values()].map(({ id, client }) => [id, client.options] as const),
  ["Pictures", imageOptions] as const,
];

test.each(tables)("docs/request-options.md says what the code does: %s", (id, options) => {
  const [section = ""] = (page.split(`## ${id}\n`)[1] ?? "").split("\n#");
  expect(plain(section.trim())).toBe(plain(optionsTable(options)));
});

test("dear items of a header's list are taken out, the others stay", () => {
  const options = dialects.get("anthropic-messages")?.client.options ?? [];
  const clean = (value: string) => withoutDearItems(options, "anthropic-beta", value, []);
  expect(clean("context-1m-2025-08-07, interleaved-thinking-2025-05-14,fast-mode-2026-02-01")).toBe(
    "interleaved-thinking-2025-05-14",
  );
  expect(clean("context-1m-2025-08-07")).toBe("");
  expect(withoutDearItems(options, "anthropic-version", "2023-06-01", [])).toBe("2023-06-01");
});

test("an operator can allow every option that is refused or taken out, and no other word", () => {
  const names = new Set(tables.flatMap(([, options]) => dearNames(options)));
  expect([...DEAR_OPTIONS].sort()).toEqual([...names].sort());
});
