import { copyFileSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestDatabase } from "@/lib/testing/database";
import type { ImportReport } from "@/tools/import/run-import";
import { openSource } from "@/tools/import/sources/open";
import { dropAfterAll, expectBooksInOrder, freshWeir, importInto, left } from "./harness";
import { oneApi } from "./one-api-rows";
import { fillSqlite } from "./source-database";

const folder = mkdtempSync(join(tmpdir(), "weir-import-"));
const file = join(folder, "one-api.db");
let weir: TestDatabase;
let report: ImportReport;
dropAfterAll();
beforeAll(async () => {
  fillSqlite(file, "one-api", oneApi);
  weir = await freshWeir();
  report = await importInto(weir, `sqlite:${file}`, { system: "one-api", withLogs: true });
});
afterAll(() => rmSync(folder, { recursive: true }));

test("one-api's channel types become the ones with the same upstream, not with the same number", async () => {
  expect(await weir.sql`select name, type, base_url, status, other from channels order by id`).toEqual([
    { name: "openai", type: 1, base_url: "", status: 1, other: "" },
    { name: "deepseek", type: 43, base_url: "", status: 1, other: "" },
    { name: "groq", type: 1, base_url: "https://api.groq.com/openai", status: 2, other: "" },
    { name: "azure", type: 3, base_url: "https://x.openai.azure.com", status: 1, other: "2024-10-21" },
    { name: "claude", type: 14, base_url: "", status: 1, other: "" },
  ]);
  expect(left(report, "channels")).toEqual({ "the channel type 38 does not exist here": 1 });
  const [deepseek] = await weir.sql`select setting from channels where name = 'deepseek'`;
  expect(JSON.parse(deepseek?.setting)).toEqual({ system_prompt: "Be brief." });
});

test("keys keep their models and networks, accounts their balance; what has no place is reported; the books add up", async () => {
  expect(await weir.sql`select name, model_limits_enabled, model_limits, allow_ips from tokens order by name`).toEqual([
    { name: "all", model_limits_enabled: false, model_limits: "", allow_ips: "" },
    { name: "old", model_limits_enabled: false, model_limits: "", allow_ips: "" },
    { name: "some", model_limits_enabled: true, model_limits: "gpt-4o,o3", allow_ips: "10.0.0.0/8\n192.168.1.1" },
  ]);
  expect(await weir.sql`select quota, used_quota, oidc_issuer from users where username = 'ada'`).toEqual([
    { quota: 700, used_quota: 50, oidc_issuer: "configured:https://id.example/.well-known/openid-configuration" },
  ]);
  expect(left(report, "users")).toMatchObject({ "deleted there": 1 });
  expect(left(report, "options")).toEqual({ "no such option: LarkClientId": 1 });
  expect(report.extras.missing).toEqual(["two_fas", "top_ups"]);
  const [log] = await weir.sql`select use_time_ms, channel_id, quota from usage_logs where type = 2`;
  expect(log).toMatchObject({ use_time_ms: 1_234, quota: 30 });
  await expectBooksInOrder(weir);
});

test("an SQLite file that is in use, has a write-ahead log, or is none, is refused with what to do", async () => {
  const wal = join(folder, "wal.db");
  new sqlite.Database(wal).close();
  writeFileSync(wal, "");
  await expect(openSource(`sqlite:${wal}`)).rejects.toThrow("is no SQLite database");
  await expect(openSource(`sqlite:${join(folder, "none.db")}`)).rejects.toThrow("does not exist");
  writeFileSync(`${file}-wal`, "x");
  await expect(openSource(`sqlite:${file}`)).rejects.toThrow("PRAGMA journal_mode=DELETE");
  rmSync(`${file}-wal`);
  writeFileSync(`${file}-journal`, "x");
  await expect(openSource(`sqlite:${file}`)).rejects.toThrow("is being written, or its program was killed");
  rmSync(`${file}-journal`);
});

test("reading an SQLite file leaves nothing beside it; one that is written meanwhile is given up", async () => {
  const copy = join(folder, "copy.db");
  copyFileSync(file, copy);
  const source = await openSource(`sqlite:${copy}`);
  expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  expect(await source.count("users")).toBe(3);
  utimesSync(copy, new Date(), new Date(Date.now() + 60_000));
  await expect(source.count("users")).rejects.toThrow("is being written");
  await source.close();
});

test("an address is refused without its password in the message", async () => {
  for (const scheme of ["mysql", "postgres"]) {
    const opening = openSource(`${scheme}://me:s3cret%21@127.0.0.1:1/there`);
    await expect(opening).rejects.toThrow(`${scheme}://127.0.0.1:1/there cannot be read`);
    await expect(opening).rejects.not.toThrow(/s3cret/);
  }
  await expect(openSource("oracle://x")).rejects.toThrow("starts with sqlite:, mysql:// or postgres://");
});
