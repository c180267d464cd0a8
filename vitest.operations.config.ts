import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { moduleCache } from "./tests/module-cache.ts";

// Slow tests with real parts around Weir, which start whole systems. Those that put it under load, or hold it to a time, have
// the machine to themselves, two at a time: they wait for what they took away to be missed.

const root = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const resolve = {
  alias: [
    { find: "@", replacement: root },
    { find: /^\.{1,2}\/password-cost$/, replacement: `${root}/tests/password-cost.ts` },
  ],
};
/** These may be slow beside others. The longest first. */
const beside = [
  "log-store-reads",
  "backup",
  "log-store-cluster",
  "import",
  "log-store-old-charges",
  "log-store-filters",
  "log-store-console",
  "released-version",
  "image-tree",
  "signals",
  "pod",
  "prometheus",
  "log-store-archive",
  "log-store-away",
  "wrong-variables",
  "built-service",
  "log-shipping",
  "log-store-clearing",
  "log-store-by-user",
  "database-addresses",
  "nginx",
  "log-store-import",
];
/** The longest of the others. */
const longestAlone = ["database-trouble", "cluster", "rolling-restart"];
const order = [...beside, ...longestAlone];
const paths = (names: readonly string[]) => names.map((name) => `tests/operations/${name}.test.ts`);

class Sequencer extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = order.indexOf(basename(moduleId, ".test.ts"));
      return at === -1 ? order.length : at;
    };
    return (await super.sort(specs)).sort((a, b) => rank(a) - rank(b));
  }
}

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
      maxWorkers: groupOrder === 0 ? 3 : 2,
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
    sequence: { sequencer: Sequencer },
    projects: [
      project("beside", 0, paths(beside), []),
      project("alone", 1, ["tests/operations/*.test.ts"], paths(beside)),
    ],
  },
});
