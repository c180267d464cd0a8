import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Sql } from "@/db/client";
import { listMissingRights } from "@/db/missing-rights";
import type { Env } from "@/lib/env";
import { readSecretState } from "@/lib/secret/secret-queries";
import { findSecret, nextSecretFile } from "../installation-secret";
import { connectionsUsed, defaultGateways } from "../machine-share";
import { type Finding, ok, problem, warning } from "./finding";

export async function checkServer(sql: Sql, settings: Env): Promise<Finding[]> {
  const [row] = await sql<{ version: number; name: string; connections: number; writes: boolean }[]>`
    select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as connections,
      not pg_is_in_recovery() and current_setting('default_transaction_read_only') = 'off' as writes`;
  if (!row) throw new Error("the database gave no answer");
  const missing = await listMissingRights(sql);
  const needed = connectionsUsed(settings.WEIR_GATEWAY_WORKERS ?? defaultGateways());
  return [
    row.version >= 150_000
      ? ok("database version", row.name)
      : problem("database version", row.name, "Weir needs PostgreSQL 15 or newer."),
    row.writes && missing.length === 0
      ? ok("database rights", "may write and change the schema")
      : problem(
          "database rights",
          row.writes ? "the account may not change the schema" : "the server is read-only",
          row.writes
            ? `As the owner of the database run in it: ${missing.join(" ")}`
            : "Point DATABASE_URL to the primary server.",
        ),
    row.connections >= needed
      ? ok("database connections", `${row.connections} allowed, at most ${needed} used by a machine like this`)
      : warning(
          "database connections",
          `${row.connections} allowed, a machine like this opens up to ${needed}`,
          `Raise max_connections to ${needed + 10} for each machine, or set WEIR_GATEWAY_WORKERS lower.`,
        ),
  ];
}

export async function checkClock(sql: Sql): Promise<Finding> {
  const before = Date.now();
  const [row] = await sql<{ ms: number }[]>`select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`;
  const after = Date.now();
  const apart = Math.max(0, Math.abs((row?.ms ?? 0) - (before + after) / 2) - (after - before) / 2) / 1_000;
  const text = `${apart.toFixed(1)} s apart from the database's`;
  return apart < 2
    ? ok("clock", text)
    : problem("clock", text, "Synchronise the clocks of both machines (NTP, chrony).");
}

export async function checkMigrations(sql: Sql): Promise<Finding> {
  const journal = JSON.parse(readFileSync("db/migrations/meta/_journal.json", "utf8")) as {
    entries: { when: number }[];
  };
  const [made] = await sql<
    { there: boolean }[]
  >`select to_regclass('drizzle.__drizzle_migrations') is not null as there`;
  if (!made?.there) return ok("migrations", "an empty database; the first start fills it");
  const [last] = await sql<
    { at: string | null }[]
  >`select max(created_at)::text as at from drizzle.__drizzle_migrations`;
  const pending = journal.entries.filter(({ when }) => when > Number(last?.at ?? 0)).length;
  if (pending === 0) return ok("migrations", `all ${journal.entries.length} applied`);
  return warning(
    "migrations",
    `${pending} not applied yet`,
    "The next start applies them. Back up first (weir backup).",
  );
}

export async function checkSecret(sql: Sql, settings: Env): Promise<Finding> {
  const dataDirectory = resolve(settings.WEIR_DATA_DIR);
  const secret = findSecret(dataDirectory, settings.WEIR_SECRET);
  const source = settings.WEIR_SECRET === undefined ? "file `secret`" : "WEIR_SECRET";
  const [made] = await sql<{ there: boolean }[]>`select to_regclass('options') is not null as there`;
  if (secret === null) {
    if (!made?.there) return ok("secret", "none yet; the first start makes one");
    return problem(
      "secret",
      "missing",
      "Set WEIR_SECRET, or WEIR_DATA_DIR to where the file `secret` is, or take it from a backup: weir restore FILE --secret-only.",
    );
  }
  if (secret.length < 16) return problem("secret", `${source} is too short`, "It needs at least 16 characters.");
  if (!made?.there) return ok("secret", source);
  const state = await readSecretState(sql, secret);
  if (state !== "differs")
    return ok("secret", `${source}, ${state === "fits" ? "opens" : "nothing is sealed in"} the database`);
  const advice = `Put back the right one, from a backup: weir restore FILE --secret-only; after "weir key rotate" it may be in ${nextSecretFile(dataDirectory)}.`;
  return problem("secret", `${source} is not the database's`, advice);
}
