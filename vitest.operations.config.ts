import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { moduleCache } from "./tests/module-cache.ts";

// Slow tests with real parts around Weir, which start whole systems. Those that put it under load, or hold it to a time, have
// the machine alone.

const root = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const resolve = {
  alias: [
    { find: "@", replacement: root },
    { find: "./password-cost", replacement: `${root}/tests/password-cost.ts` },
  ],
};
/** Mostly wait. The longest first. */
const beside = [
  "backup",
  "log-store-cluster",
  "log-store-reads",
  "log-store-old-charges",
  "import",
  "log-store-console",
  "image-tree",
  "released-version",
  "log-store-filters",
  "signals",
  "prometheus",
  "pod",
  "wrong-variables",
  "log-store-archive",
  "built-service",
  "log-store-clearing",
  "log-store-by-user",
  "database-addresses",
  "nginx",
].map((name) => `tests/operations/${name}.test.ts`);

function project(
  name: string,
  groupOrder: number,
  include: string[],
  exclude: string[],
): TestProjectInlineConfiguration {
  return {
    resolve,
    test: {
      name,
      include,
      exclude,
      setupFiles: ["tests/leave-as-found.ts"],
      pool: "forks",
      maxWorkers: groupOrder === 0 ? 3 : 1,
      sequence: { groupOrder },
      retry: process.env.CI ? 1 : 0,
      // A busy machine takes several times as long as a quiet one.
      testTimeout: 500_000,
      hookTimeout: 500_000,
      env: {
        WEIR_SECRET: "test-secret-test-secret-test-secret",
        WEIR_LOG_LEVEL: "warn",
        GLOBAL_API_RATE_LIMIT_ENABLE: "false",
        CRITICAL_RATE_LIMIT_ENABLE: "false",
      },
    },
  };
}

export default defineConfig({
  resolve,
  test: {
    globalSetup: ["tests/operations/built.ts", "tests/global-setup.ts"],
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleCache(root) },
    projects: [project("beside", 0, beside, []), project("alone", 1, ["tests/operations/*.test.ts"], beside)],
  },
});
