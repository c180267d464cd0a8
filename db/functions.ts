import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sql, TransactionSql } from "postgres";

/**
 * Creates or replaces the SQL functions of a folder, one file each (`CREATE OR REPLACE FUNCTION …`), in one transaction.
 * Skips files whose text has not changed; their hashes are stored in drizzle.applied_functions. Returns the applied file
 * names. A function whose arguments or result change needs a new name, because processes of the previous version may
 * still call the old one.
 */
export async function applyFunctions(sql: Sql, folder: string): Promise<string[]> {
  return sql.begin((tx) => applyFunctionsWithin(tx, folder));
}

/** The same as a part of a transaction. */
export async function applyFunctionsWithin(tx: TransactionSql, folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  const files = await Promise.all(
    names.map(async (name) => ({ name, text: await readFile(join(folder, name), "utf8") })),
  );
  await tx`
    create table if not exists drizzle.applied_functions (
      name text primary key, hash text not null, applied_at timestamptz not null default now())`;
  const known = await tx<{ name: string; hash: string }[]>`select name, hash from drizzle.applied_functions`;
  const hashes = new Map(known.map(({ name, hash }) => [name, hash]));
  const applied: string[] = [];
  for (const { name, text } of files) {
    const hash = createHash("sha256").update(text).digest("hex");
    if (hashes.get(name) === hash) continue;
    await tx.unsafe(text);
    await tx`
      insert into drizzle.applied_functions (name, hash) values (${name}, ${hash})
      on conflict (name) do update set hash = excluded.hash, applied_at = now()`;
    applied.push(name);
  }
  return applied;
}
