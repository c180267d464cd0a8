import { afterAll, expect } from "vitest";
import { reconcile } from "@/lib/billing/reconcile";
import { readComparableHours, reconcileHours } from "@/lib/billing/reconcile-hours";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { ensureRoot } from "@/server/bootstrap";
import { type ImportReport, runImport } from "@/tools/import/run-import";
import { openSource } from "@/tools/import/sources/open";
import type { ImportSettings } from "@/tools/import/types";

const databases: TestDatabase[] = [];

/** Drops the databases of the file at its end. */
export function dropAfterAll(): void {
  afterAll(async () => {
    for (const database of databases.splice(0)) await database.drop();
  });
}

/** An empty database, for another system's tables. */
export async function emptyDatabase(): Promise<string> {
  const database = await createTestDatabase();
  databases.push(database);
  await database.sql.unsafe("drop schema public cascade; create schema public");
  return database.url;
}

export async function freshWeir(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  await ensureRoot(database.url, "root-password");
  return database;
}

export async function importInto(
  { db, sql }: TestDatabase,
  address: string,
  settings: Partial<ImportSettings> = {},
): Promise<ImportReport> {
  const source = await openSource(address);
  try {
    return await runImport({ db, sql, actor: { type: "command-line" }, clientIp: "" }, source, {
      system: "new-api",
      dryRun: false,
      withLogs: false,
      withOptions: false,
      onCollision: "skip",
      onProgress: () => {},
      ...settings,
    });
  } finally {
    await source.close();
  }
}

export async function expectBooksInOrder({ sql }: TestDatabase): Promise<void> {
  expect((await reconcile(sql)).differences).toEqual([]);
  expect((await reconcileHours(sql, [await readComparableHours(sql)])).differences).toEqual([]);
}

/** All that an import writes, without what differs from one database to the next. */
export async function contentOf({ sql }: TestDatabase): Promise<unknown> {
  const users =
    await sql`select username, password_hash, display_name, role, status, email, github_id, oidc_id, oidc_issuer,
    wechat_server, telegram_id, linux_do_id, access_token_hash, quota, used_quota, request_count, "group", aff_code, aff_count,
    aff_quota, aff_history_quota, setting from users where username <> 'root' order by lower(username)`;
  const tokens =
    await sql`select key_hash, status, name, expired_time, remain_quota, used_quota, granted_quota, unlimited_quota,
    model_limits_enabled, model_limits, allow_ips, "group" from tokens order by key_hash`;
  const channels =
    await sql`select name, type, status, weight, priority, base_url, models, "group", model_mapping, setting, tag,
    other_info, used_quota, key_fingerprint from channels order by id`;
  const codes = await sql`select key, status, name, quota from redemptions order by key`;
  const orders = await sql`select trade_no, status, quota, provider from top_ups order by trade_no`;
  const logs =
    await sql`select request_id, created_at, type, username, model_name, quota, other from usage_logs order by request_id`;
  const hours =
    await sql`select hour, model_name, sum(quota)::bigint as quota, sum(count)::bigint as count from usage_hourly group by 1, 2 order by 1, 2`;
  const options = await sql`select key from options order by key`;
  return { users, tokens, channels, codes, orders, logs, hours, options };
}

/** How many rows were left out, by reason. */
export const left = (report: ImportReport, kind: keyof ImportReport["kinds"]) =>
  Object.fromEntries(Object.entries(report.kinds[kind]?.leftOut ?? {}).map(([reason, { count }]) => [reason, count]));
