import { expect, test } from "vitest";
import { RULE_ROWS, RULES_CHECKED } from "@/lib/model-rules/rows";
import { checkModelRules } from "./model-rules";

test.each([
  ["2026-11-28T12:00:00Z", "ok"],
  ["2027-03-28T00:00:00Z", "ok"],
  ["2027-03-29T00:00:00Z", "warning"],
  ["2029-01-01T00:00:00Z", "warning"],
])("doctor at %s says %s of rules from 2026-11-28, with what to do when they are old", (now, level) => {
  const finding = checkModelRules(2, new Date(now), "2026-11-28");
  expect(finding).toMatchObject({ check: "model rules", level, text: expect.stringContaining("2 rows of your own") });
  expect(finding.advice?.includes("Update Weir") ?? false).toBe(level === "warning");
});

test("the day of the table is that of its newest row", () => {
  expect(RULE_ROWS.every(({ checked }) => checked <= RULES_CHECKED)).toBe(true);
  expect(RULES_CHECKED).toMatch(/^\d{4}-\d\d-\d\d$/);
});
