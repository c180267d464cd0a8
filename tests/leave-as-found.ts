import { afterAll, afterEach, vi } from "vitest";

declare module "vitest" {
  interface TaskMeta {
    /** The test failed before it passed. */
    isRetry?: boolean;
  }
}

afterEach(({ task }) => {
  if ((task.result?.retryCount ?? 0) > 0) task.meta.isRetry = true;
});

// Test files share a worker, so changes of the environment must be undone before the next file.
const environment = { ...process.env };

afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
  Object.assign(process.env, environment);
  // State that the console keeps for the life of a process: pools, caches, counters.
  for (const name of Object.keys(globalThis)) if (name.startsWith("weir")) Reflect.deleteProperty(globalThis, name);
});
