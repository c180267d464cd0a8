// With a log store the guarantees are the same: the suites once more, with charges that go to the outbox.
import { afterAll, beforeAll, describe } from "vitest";
import type {} from "@/lib/testing/database";
import { UNUSED_LOG_STORE } from "@/lib/testing/log-store";

const SUITES = [
  "./settle.test.ts",
  "./retire-commands.test.ts",
  "./cost-books.test.ts",
  "./upstream-objects.test.ts",
  "./channel-charges.test.ts",
  "./lease.test.ts",
  "../../tests/attacks/refused-charge-blocks-others.test.ts",
];

describe.each(SUITES)("with a log store: %s", async (suite) => {
  beforeAll(() => {
    process.env.LOG_STORE_URL = UNUSED_LOG_STORE;
  });
  afterAll(() => {
    delete process.env.LOG_STORE_URL;
  });
  // The query makes it a module of its own, whose tests belong to this suite.
  await import(/* @vite-ignore */ `${suite}?log-store`);
});
