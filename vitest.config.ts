import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");

export default defineConfig({
  resolve: {
    alias: { "@": root },
  },
  test: {
    include: ["**/*.test.ts", "**/*.test.tsx"],
    exclude: ["node_modules/**", ".next/**", "dist/**", "e2e/**"],
    globalSetup: ["tests/global-setup.ts"],
    pool: "forks",
    testTimeout: 30_000,
    hookTimeout: 60_000,
    env: {
      WEIR_SECRET: "test-secret-test-secret-test-secret",
      WEIR_LOG_LEVEL: "warn",
      // Every test calls from one address; the tests of the limits switch them on.
      GLOBAL_API_RATE_LIMIT_ENABLE: "false",
      CRITICAL_RATE_LIMIT_ENABLE: "false",
    },
  },
});
