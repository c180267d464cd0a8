import { afterEach, expect, test, vi } from "vitest";
import { env } from "./env";

afterEach(() => vi.unstubAllEnvs());

const unset = [
  "DATABASE_URL",
  "WEIR_SECRET",
  "WEIR_ROOT_PASSWORD",
  "WEIR_GATEWAY_WORKERS",
  "WEIR_CONSOLE_PORT",
  "PORT",
  "HOST",
  "WEIR_DATA_DIR",
  "WEIR_ROLES",
  "GLOBAL_API_RATE_LIMIT",
] as const;

test.each(unset)("an empty %s= means the same as none", (name) => {
  vi.stubEnv(name, undefined);
  const without = env()[name];
  vi.stubEnv(name, "");
  expect(env()[name]).toEqual(without);
});

test("a switch that is on unless told otherwise stays on when its variable is empty", () => {
  vi.stubEnv("CRITICAL_RATE_LIMIT_ENABLE", "");
  expect(env().CRITICAL_RATE_LIMIT_ENABLE).toBe(true);
});

test("a setting that cannot be used is named in words, without its value, and all of them at once", () => {
  vi.stubEnv("PORT", "abc");
  vi.stubEnv("WEIR_GATEWAY_WORKERS", "1.5");
  vi.stubEnv("WEIR_REQUEST_LOG", "2");
  vi.stubEnv("WEIR_METRICS_TOKEN", "too-short-token");
  vi.stubEnv("WEIR_TURNSTILE_URL", "nowhere");
  vi.stubEnv("COHERE_SAFETY_SETTING", "LAX");
  const expected = [
    "These settings (environment or .env) cannot be used:",
    "  PORT must be a number",
    "  WEIR_GATEWAY_WORKERS must be a whole number",
    "  WEIR_METRICS_TOKEN needs at least 16 characters",
    "  WEIR_REQUEST_LOG must be at most 1",
    "  WEIR_TURNSTILE_URL must be a complete URL",
    "  COHERE_SAFETY_SETTING must be one of NONE, CONTEXTUAL, STRICT, OFF",
  ].join("\n");
  expect(env).toThrow(new Error(expected));
});
