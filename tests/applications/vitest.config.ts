import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** Apart from the suite: the applications are large, and installed only for these tests. */
export default defineConfig({
  root,
  resolve: { alias: [{ find: "@", replacement: root }] },
  test: {
    include: ["tests/applications/*.application.ts"],
    globalSetup: ["tests/global-setup.ts"],
    setupFiles: ["tests/leave-as-found.ts"],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 60_000,
    env: { WEIR_SECRET: "test-secret-test-secret-test-secret", WEIR_LOG_LEVEL: "warn" },
  },
});
