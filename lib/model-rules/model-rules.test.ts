import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RULE_ROWS } from "./rows";
import { rulesOf } from "./rules-of";
import { rulesTable } from "./rules-table";
import { ownRows } from "./schema";

test("docs/model-rules.md has the table", () => {
  const document = readFileSync(new URL("../../docs/model-rules.md", import.meta.url), "utf8");
  const plain = (text: string): string => text.replace(/ *\| */g, "|").replace(/-{3,}/g, "---");
  expect(plain(document)).toContain(plain(rulesTable()));
});

test.each([
  ["gpt-6-mini", "gpt-6"],
  ["gpt-5.7", "gpt-5.6"],
  ["gpt-5.12", "gpt-5.6"],
  ["gpt-10", "gpt-6"],
  ["gpt-6.2-sol", "gpt-6.1-sol"],
  ["o5-mini", "o4-mini"],
  ["claude-opus-6", "claude-opus-5-5"],
  ["claude-opus-5-7-20270101", "claude-opus-5-5"],
  ["claude-sonnet-6", "claude-sonnet-5-5"],
  ["claude-haiku-7-1", "claude-haiku-5-5"],
  ["claude-fable-6", "claude-fable-5-1"],
  ["claude-epic-6", "claude-opus-5-5"],
  ["gemini-4-pro", "gemini-3.8-flash"],
  ["deepseek-v6", "deepseek-v4"],
  ["kimi-k5", "kimi-k3"],
  ["glm-7", "glm-5.3"],
  ["qwen5-plus", "qwen3.5-plus"],
  ["doubao-seed-3-0-pro", "doubao-seed-2-0-pro"],
  ["grok-6", "grok-4.6"],
  ["MiniMax-M5", "MiniMax-M3.1"],
  ["nova-3-pro", "nova-2-lite"],
])("%s, which is not known, has the rules of %s", (newer, known) => {
  expect(rulesOf(newer)).toEqual(rulesOf(known));
  expect(rulesOf(newer).thinks).toBeDefined();
});

test.each([
  ["us.anthropic.claude-opus-5-5-v1:0", "claude-opus-5-5"],
  ["anthropic/claude-opus-5.5", "claude-opus-5-5"],
  ["claude-opus-5-5@20260922", "claude-opus-5-5"],
  ["openai/gpt-6", "gpt-6"],
  ["ft:gpt-4.1-mini:org::id", "gpt-4.1-mini"],
  ["Pro/zai-org/GLM-5.2", "glm-5.2"],
  ["openai.gpt-oss-120b-1:0", "gpt-oss-120b"],
])("%s is known by its maker's name %s", (given, name) => {
  expect(rulesOf(given)).toEqual(rulesOf(name));
});

test("an older model of a family keeps its own rules", () => {
  expect(rulesOf("claude-opus-4-20250514")).toMatchObject({ word: "budget", answerSchema: false });
  expect(rulesOf("claude-sonnet-5-20260929")).toMatchObject({ thinks: "choice", off: "disabled", forcedTools: true });
  expect(rulesOf("gpt-5-mini").efforts).toEqual(["minimal", "low", "medium", "high"]);
  expect(rulesOf("gpt-4o").limit).toBeUndefined();
});

test("rows of an operator win over Weir's, for the columns that they have and at their providers", () => {
  const own = ownRows.parse([
    { models: "^gpt-6-mini", thinks: "never", efforts: [] },
    { models: "^my-deployment", at: ["azure"], like: "gpt-6-luna" },
    { models: "^ep-2026", like: "glm-5", thinks: "always" },
  ]);
  expect(rulesOf("gpt-6-mini", "openai", own)).toMatchObject({
    thinks: "never",
    efforts: [],
    chatTools: "without thoughts",
  });
  expect(rulesOf("my-deployment", "azure", own)).toEqual(rulesOf("gpt-6-luna", "azure"));
  expect(rulesOf("my-deployment", "openai", own)).toEqual(rulesOf("unheard-of", "openai"));
  expect(rulesOf("ep-2026-x", "volcengine", own)).toMatchObject({
    thinks: "always",
    word: "thinking",
    thinksUnasked: true,
  });
  expect(rulesOf("gpt-6-mini", "openai")).toMatchObject({ thinks: "choice" });
});

test.each([
  [[{ models: "(a+)+$" }]],
  [[{ models: "" }]],
  [[{ models: "^a", thinks: "maybe" }]],
  [[{ models: "^a", colour: "red" }]],
  [[{ models: "^a", at: ["nobody"] }]],
  [[{ thinks: "never" }]],
  [{}],
])("%j is refused as an operator's rows", (rows) => {
  expect(ownRows.safeParse(rows).success).toBe(false);
});

test("a model that was asked for before costs one look-up, and many names are forgotten again", () => {
  expect(rulesOf("gpt-6")).toBe(rulesOf("gpt-6"));
  for (let i = 0; i < 6_000; i++) rulesOf(`made-up-${i}`);
  expect(rulesOf("gpt-6")).toMatchObject({ thinks: "choice" });
});

test("each row has a source on the web and the day on which it was read", () => {
  for (const { source, checked } of RULE_ROWS) {
    expect(source).toMatch(/^https:\/\//);
    expect(checked).toMatch(/^2\d{3}-\d\d-\d\d$/);
  }
});
