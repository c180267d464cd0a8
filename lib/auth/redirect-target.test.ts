import { expect, test } from "vitest";
import { redirectTarget } from "./redirect-target";

test.each([
  ["/log", "/log"],
  ["/log?type=2&p=3#row", "/log?type=2&p=3#row"],
  ["/setting?tab=personal", "/setting?tab=personal"],
])("after signing in the reader comes to the page they wanted: %s (A025)", (wanted, target) => {
  expect(redirectTarget(wanted)).toBe(target);
});

test.each([
  undefined,
  ["/log", "/token"],
  "",
  "log",
  "//evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/./\\/evil.example",
  "https://evil.example",
  "javascript:alert(1)",
  "/login?redirect=/login",
  `/${"x".repeat(3_000)}`,
])("nobody is led away from the site, nor in a circle: %s", (wanted) => {
  expect(redirectTarget(wanted)).toBe("/token");
});
