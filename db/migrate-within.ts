import type { TransactionSql } from "postgres";
import { applyFunctionsWithin } from "./functions";
import { MIGRATION_LOCK } from "./migrate";
import { type Migration, readMigrations } from "./migration-files";

const FOLDER = "db/migrations";
const FUNCTIONS = "db/functions";

/** The migrations of this version, oldest first. */
export const listMigrations = (): Promise<Migration[]> => readMigrations(FOLDER);

/** Waits until nobody else migrates, and keeps others from it until the end of the transaction. */
export async function lockMigrations(tx: TransactionSql): Promise<void> {
  await tx`select pg_advisory_xact_lock(${MIGRATION_LOCK})`;
}

/**
 * Applies migrations as a part of a transaction, for a database that nobody else uses: indexes that are otherwise built
 * concurrently are built directly.
 */
export async function applyMigrationsWithin(tx: TransactionSql, migrations: readonly Migration[]): Promise<void> {
  await tx`create schema if not exists drizzle`;
  await tx`
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  for (const { hash, when, statements } of migrations) {
    for (const { text, kind } of statements) {
      let changed = 1;
      while (changed > 0) {
        const result = await tx.unsafe(withoutConcurrently(text));
        changed = kind === "repeated" ? result.count : 0;
      }
    }
    await tx`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${when})`;
  }
}

function withoutConcurrently(statement: string): string {
  return statement.replace(/\b(create\s+(?:unique\s+)?index|drop\s+index|reindex\s+\w+)\s+concurrently\b/gi, "$1");
}

/** Functions as this version has them. */
export async function applyCurrentFunctions(tx: TransactionSql): Promise<void> {
  await applyFunctionsWithin(tx, FUNCTIONS);
}

/** Names of all tables that migrations of this version ever created. Partitions are not among them. */
export async function listOwnTables(): Promise<Set<string>> {
  const names = new Set<string>();
  for (const { statements } of await listMigrations()) {
    for (const { text } of statements) {
      for (const [, name] of text.matchAll(/^\s*create table (?:if not exists )?"?(\w+)"?/gim)) {
        if (name !== undefined) names.add(name);
      }
    }
  }
  return names;
}
