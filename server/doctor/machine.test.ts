import { expect, test } from "vitest";
import { checkNode } from "./machine";

const november2026 = new Date("2026-11-23T00:00:00Z");

test.each([
  ["18.20.8", november2026, "problem"],
  ["20.18.3", november2026, "problem"],
  ["20.19.0", new Date("2026-04-30T23:00:00Z"), "ok"],
  ["20.19.0", november2026, "warning"],
  ["22.12.0", november2026, "ok"],
  ["23.11.0", november2026, "warning"],
  ["24.0.0", november2026, "ok"],
  ["24.21.0", new Date("2028-05-01T00:00:00Z"), "warning"],
  ["26.10.0", november2026, "ok"],
  ["30.0.0", november2026, "ok"],
])("doctor on Node.js %s at %s: %s, with what to do unless it is ok", (version, now, level) => {
  const finding = checkNode(version, now);
  expect(finding).toMatchObject({ check: "node", level });
  expect(finding.text).toContain(version);
  expect(finding.advice?.includes("Install Node.js 24") ?? false).toBe(level !== "ok");
});
