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
