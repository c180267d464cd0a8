import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Slow tests with real parts around Weir. One file at a time: they measure, and start whole systems.

const root = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");

export default defineConfig({
  resolve: {
    alias: [
      { find: "@", replacement: root },
      { find: "./password-cost", replacement: `${root}/tests/password-cost.ts` },
    ],
  },
  test: {
    include: ["tests/operations/*.test.ts"],
    globalSetup: ["tests/global-setup.ts"],
    setupFiles: ["tests/leave-as-found.ts"],
    pool: "forks",
    fileParallelism: false,
    retry: process.env.CI ? 1 : 0,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    env: {
      WEIR_SECRET: "test-secret-test-secret-test-secret",
      WEIR_LOG_LEVEL: "warn",
      GLOBAL_API_RATE_LIMIT_ENABLE: "false",
      CRITICAL_RATE_LIMIT_ENABLE: "false",
    },
  },
});
