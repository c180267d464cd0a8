import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { moduleCache } from "./tests/module-cache.ts";
import { compareStart, listTestFiles, type ProjectName } from "./tests/projects.ts";

const root = fileURLToPath(new URL(".", import.meta.url)).replace(/\/$/, "");
const resolve = {
  alias: [
    { find: "@", replacement: root },
    // Only here, so that no setting can lower the cost of passwords in production.
    { find: /^\.{1,2}\/password-cost$/, replacement: `${root}/tests/password-cost.ts` },
  ],
};
const files = listTestFiles(root, process.env.WEIR_TEST_ONLY_SQL === "1");

const env = {
  WEIR_SECRET: "test-secret-test-secret-test-secret",
  WEIR_LOG_LEVEL: "warn",
  // Less than a test may take.
  WEIR_DRAIN_SECONDS: "20",
  // All tests call from one IP address. The tests of the limits switch them on.
  GLOBAL_API_RATE_LIMIT_ENABLE: "false",
  CRITICAL_RATE_LIMIT_ENABLE: "false",
};

type Options = NonNullable<TestProjectInlineConfiguration["test"]>;

function project(name: ProjectName, options: Options): TestProjectInlineConfiguration {
  return {
    resolve,
    test: {
      name,
      // An empty list would match every file.
      include: files[name].length === 0 ? ["none"] : files[name],
      setupFiles: ["tests/leave-as-found.ts"],
      // One retry in CI only, which names the flaky tests and fails with more than two.
      retry: process.env.CI ? 1 : 0,
      testTimeout: 30_000,
      hookTimeout: 60_000,
      env,
      ...options,
    },
  };
}

/** Starts process and isolated files first, then the many files that share workers and loaded modules. */
class Sequencer extends BaseSequencer {
  override async sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const files = (await super.sort(specs)).map((spec) => ({
      spec,
      project: spec.project.name,
      path: relative(root, spec.moduleId),
    }));
    return files.sort(compareStart).map(({ spec }) => spec);
  }
}

/** These tests mostly compute. They have no TEST_DATABASE_URL, so one that uses the database fails with a clear message. */
const threads = {
  pool: "threads",
  isolate: false,
  maxWorkers: 2,
  env: { ...env, TEST_DATABASE_URL: "" },
  sequence: { groupOrder: 0 },
} as const;

/**
 * These tests often wait for PostgreSQL and sockets, so one worker more than the usual two cores keeps the cores busy. Each loads the
 * product anew and runs it unoptimised at first, which takes 15 CPU seconds.
 */
const workers: Options = {
  pool: "forks",
  maxWorkers: 3,
  // A request of a test is over before the space for new objects is full, so that there is little to copy out of it.
  execArgv: ["--min-semi-space-size=32", "--max-semi-space-size=32"],
  sequence: { groupOrder: 1 },
};

export default defineConfig({
  resolve,
  test: {
    globalSetup: ["tests/global-setup.ts"],
    experimental: { fsModuleCache: true, fsModuleCachePath: moduleCache(root) },
    sequence: { sequencer: Sequencer },
    projects: [
      project("pure", threads),
      project("simulation", threads),
      // Each of these tests starts whole systems, several times.
      project("process", { ...workers, testTimeout: 120_000 }),
      project("isolated", workers),
      project("database", { ...workers, isolate: false }),
    ],
  },
});
