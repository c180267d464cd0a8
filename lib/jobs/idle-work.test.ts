// Who: whoever pays for a small installation, whose worker finds nothing to do most of the time.
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createDatabase } from "@/db/client";
import { createTestDatabase, type TestDatabase } from "../testing/database";
import { jobs } from "./registry";

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
afterEach(() => void vi.unstubAllEnvs());

const MINUTE_MS = 60_000;
/** Taking and giving back the lock of a job. */
const LOCK = 2;
/** 260 were counted, and a job that runs as an hour begins sends a few more. A poll of two seconds would add 60. */
const STATEMENTS_A_MINUTE = 280;

test("a worker that finds nothing to do sends PostgreSQL no more statements a minute than its budget", async () => {
  let sent = 0;
  const onStatement = () => void sent++;
  const counted = createDatabase({ url: database.url, max: 2, applicationName: "counted", onStatement });
  let sum = 0;
  const rows: string[] = [];
  for (const job of jobs) {
    // The first run may have something to do.
    await job.run(counted.sql);
    sent = 0;
    await job.run(counted.sql);
    const each = (LOCK + sent) * (MINUTE_MS / job.everyMs);
    if (each >= 1) rows.push(`${each.toFixed(1)} ${job.id}`);
    sum += each;
  }
  await counted.end();
  expect(sum, rows.join("\n")).toBeLessThan(STATEMENTS_A_MINUTE);
});

test("without a log store nothing is shipped every two seconds, and with one it is", () => {
  const shipping = jobs.find(({ id }) => id === "log-shipping");
  vi.stubEnv("LOG_STORE_URL", "");
  expect(shipping?.everyMs).toBe(MINUTE_MS);
  vi.stubEnv("LOG_STORE_URL", "clickhouse://store:8123/weir");
  expect(shipping?.everyMs).toBe(2_000);
});
