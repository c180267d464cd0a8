import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { dialects, upstreamsOnly } from ".";
import { limitsTable } from "./common/limit";
import { BUDGET_BY_EFFORT } from "./common/thinking-budget";

const readme = readFileSync(new URL("./README.md", import.meta.url), "utf8");

/** Removes the padding of table cells. */
function plain(markdown: string): string {
  return markdown.replace(/ *\| */g, "|").replace(/-{3,}/g, "---");
}

const ofUpstreams = [...upstreamsOnly.values()].map(
  ({ id, limits }) => [`${id}: to its upstreams from other dialects`, limitsTable(limits.upstream)] as const,
);

test.each([
  ...ofUpstreams,
  ...[...dialects.values()].flatMap(({ id, limits }) => [
    [`${id}: from its callers to other dialects`, limitsTable(limits.caller)] as const,
    [`${id}: to its upstreams from other dialects`, limitsTable(limits.upstream)] as const,
  ]),
])("the README says what the code does: %s", (title, table) => {
  expect(readme).toContain(`### ${title}\n`);
  const [section = ""] = (readme.split(`### ${title}\n`)[1] ?? "").split("\n#");
  expect(plain(section.trim())).toBe(plain(table));
});

test("the README says what an effort's budget is", () => {
  for (const [effort, tokens] of Object.entries(BUDGET_BY_EFFORT)) {
    expect(plain(readme)).toContain(`|${effort}|${tokens.toLocaleString("en")}|`);
  }
});
