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

test("a setting that cannot be used is named in words with what it may be, all of them at once, and no secret is shown", () => {
  vi.stubEnv("PORT", "abc");
  vi.stubEnv("WEIR_GATEWAY_WORKERS", "1.5");
  vi.stubEnv("WEIR_REQUEST_LOG", "2");
  vi.stubEnv("WEIR_METRICS_TOKEN", "too-short-token");
  vi.stubEnv("WEIR_TURNSTILE_URL", "nowhere");
  vi.stubEnv("COHERE_SAFETY_SETTING", "LAX");
  const expected = [
    "These settings (environment or .env) cannot be used:",
    '  PORT must be a port, from 0 (any free one) to 65535; it is "abc"',
    '  WEIR_GATEWAY_WORKERS must be a whole number from 1 to 256; it is "1.5"',
    "  WEIR_METRICS_TOKEN must be at least 16 characters long",
    '  WEIR_REQUEST_LOG must be a number from 0 to 1; it is "2"',
    "  WEIR_TURNSTILE_URL must be a complete URL",
    '  COHERE_SAFETY_SETTING must be one of NONE, CONTEXTUAL, STRICT, OFF; it is "LAX"',
  ].join("\n");
  expect(env).toThrow(new Error(expected));
});
