import { expect, test } from "vitest";
import { settingOf } from "./model-setting";

test("a model has its own setting, else that of its name without the release, else the default", () => {
  const settings = { default: 1, "claude-opus-4": 2, "claude-opus-4-20250514": 3, "gemini-1.0-pro": 4 };
  expect(settingOf(settings, "claude-opus-4-20250514")).toBe(3);
  expect(settingOf(settings, "claude-opus-4-20250601")).toBe(2);
  expect(settingOf(settings, "claude-opus-4-5")).toBe(1);
  expect(settingOf(settings, "gemini-1.0-pro-001")).toBe(4);
  expect(settingOf(settings, "gemini-1.0-pro-latest")).toBe(4);
  expect(settingOf({ "claude-opus-4": 2 }, "gpt-4o")).toBeUndefined();
});

test("names of Object.prototype are no settings", () => {
  expect(settingOf({ default: 1 }, "constructor")).toBe(1);
  expect(settingOf({}, "default")).toBeUndefined();
});
