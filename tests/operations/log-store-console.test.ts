// A browser at a Weir whose usage log is in ClickHouse, which goes away and comes back.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, expect, type Page } from "@playwright/test";
import { afterAll, beforeAll, test, vi } from "vitest";
import { createDatabase, type DatabaseHandle } from "@/db/client";
import { startTestServer, type TestServer } from "@/e2e/server";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { createRunFolder } from "@/lib/testing/run-folder";
import { until } from "@/lib/testing/until";
import { databaseUrl } from "@/tests/chaos/stack";
import { createSeed } from "@/tests/relay/seed";
import { type OwnClickHouse, startOwnClickHouse } from "./own-clickhouse";

const WAIT_MS = 60_000;
const folder = createRunFolder("log-store-console");
const installed = [process.env.CHROMIUM_PATH, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(
  (path) => path && existsSync(path),
);
let clickhouse: OwnClickHouse;
let server: TestServer;
let database: DatabaseHandle;
let browser: Browser;
let page: Page;
let key: string;

beforeAll(async () => {
  vi.stubEnv("WEIR_LOG_LEVEL", "info");
  clickhouse = await startOwnClickHouse(join(folder, "store"));
  [server, browser] = await Promise.all([
    startTestServer({ LOG_STORE_URL: clickhouse.url }),
    chromium.launch({ args: ["--no-sandbox"], ...(installed ? { executablePath: installed } : {}) }),
  ]);
  database = createDatabase({ url: databaseUrl(server.directory), max: 3, applicationName: "test" });
  const seed = createSeed(database, server.upstreamUrl);
  await seed.setPrices();
  await seed.addChannel();
  ({ key } = (await seed.addCaller({ username: "alice" })).token);
  const context = await browser.newContext({ baseURL: server.url, locale: "en-US" });
  const signedIn = await context.request.post("/api/user/login", {
    data: { username: "root", password: server.password },
  });
  expect(await signedIn.json()).toMatchObject({ success: true });
  page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
});
afterAll(async () => {
  await browser?.close();
  await database?.end();
  await server?.stop();
  await clickhouse?.stop();
});

async function ask(model: string): Promise<void> {
  const send = async () => {
    const answer = await fetch(`${server.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content: "Hello" }] }),
    });
    await answer.text();
    return answer.status === 200;
  };
  // A gateway hears of a new channel and key within moments.
  await until(send, WAIT_MS);
}

const waiting = async () => (await readOutbox(database.sql)).rows;
const waits = { timeout: WAIT_MS };
const row = (model: string) => page.getByRole("table").locator("tbody tr").filter({ hasText: model });
const notice = () => page.getByTestId("log-missing");
const log = () => page.goto("/log?username=alice");
async function expectCard(status: string, rows: RegExp): Promise<void> {
  await page.goto("/setting?tab=operation&page=books");
  await expect(page.getByTestId("log-store-status")).toHaveText(status, waits);
  await expect(page.locator("#log-store")).toContainText(rows);
}

/** While `run` runs no worker sends anything: the test has the job. */
async function withoutShipping(run: () => Promise<void>): Promise<void> {
  await database.sql.begin(async (sql) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('weir-job:log-shipping', 0))`;
    await run();
  });
}

test("the log shows an entry while it waits, when it was sent, and while ClickHouse is away; then it is told until it is back", async () => {
  await withoutShipping(async () => {
    await ask("fake-gpt");
    await until(async () => (await waiting()) > 0, WAIT_MS);
    await log();
    await expect(row("fake-gpt")).toHaveCount(1, waits);
  });
  await until(async () => (await waiting()) === 0, WAIT_MS);
  await log();
  await expect(row("fake-gpt")).toHaveCount(1, waits);
  await expect(notice()).toHaveCount(0);
  await ask("fake-slow");
  await until(async () => (await waiting()) === 0, WAIT_MS);
  await page.goto("/log?username=alice&model=fake-slow");
  await expect(row("fake-slow")).toHaveCount(1, waits);
  await expect(row("fake-gpt")).toHaveCount(0);
  const peek = page.getByRole("dialog");
  // A click before React has taken over does nothing.
  await expect(async () => {
    await page.getByRole("button", { name: "Show details of fake-slow" }).click();
    await expect(peek).toContainText("fake-slow", { timeout: 2_000 });
  }).toPass(waits);
  await expect(peek).toContainText("channel1");
  await expectCard("Up to date", /Nothing is waiting/);

  await clickhouse.servers[0]?.kill();
  await ask("fake-tools");
  await expectCard("Unavailable", /unavailable since .*1 entry is waiting \(\d+ kB\), the oldest for \d+ s/);
  await log();
  await expect(notice()).toContainText("unavailable since", waits);
  await expect(row("fake-tools")).toHaveCount(1, waits);
  await expect(row("fake-gpt")).toHaveCount(0);

  await clickhouse.servers[0]?.startAgain();
  await expect(notice()).toHaveCount(0, waits);
  for (const model of ["fake-gpt", "fake-slow", "fake-tools"]) await expect(row(model)).toHaveCount(1, waits);
  await until(async () => (await waiting()) === 0, WAIT_MS);
  await expectCard("Up to date", /Nothing is waiting/);
  expectFewLines(server.output());
});

/** Of each process that has noticed: the worker and the console. */
function expectFewLines(output: string): void {
  const about = output.split("\n").filter((line) => /log store|ECONNREFUSED/.test(line));
  const count = (text: string) => about.filter((line) => line.includes(text)).length;
  expect(count("the log store is away;")).toBeLessThanOrEqual(2);
  expect(count("the connection was refused")).toBeGreaterThanOrEqual(1);
  expect(count("the log store is back")).toBe(count("the log store is away;"));
  expect(about.filter((line) => line.includes('"stack"'))).toEqual([]);
}
