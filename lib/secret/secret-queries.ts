import type { Sql } from "@/db/client";
import { sealerOf } from "@/lib/crypto";
import { SEALED_COLUMNS } from "./sealed-columns";

/** The row of options that tells whether a secret is the database's. No option has this name. */
export const CHECK_KEY = "secret_check";
const SAMPLES_PER_COLUMN = 20;

/** `unknown`: nothing is sealed yet. */
export type SecretState = "fits" | "differs" | "unknown";

/** Whether what is sealed in this database opens with the secret. */
export async function readSecretState(sql: Sql, secret: string): Promise<SecretState> {
  const { unseal } = sealerOf(secret);
  const opens = (sealed: string): boolean => {
    try {
      unseal(sealed);
      return true;
    } catch {
      return false;
    }
  };
  const [check] = await sql<{ value: string }[]>`select value from options where key = ${CHECK_KEY}`;
  if (check) return opens(check.value) ? "fits" : "differs";
  let found = false;
  // A database of a version that did not keep the check. A value that was sealed under an earlier secret says nothing.
  for (const { table, key, column, flag } of SEALED_COLUMNS) {
    const samples = await sql<{ value: string }[]>`
      select ${sql(column)} as value from ${sql(table)}
      where ${sql(column)} like 'v1.%' ${flag ? sql`and ${sql(flag)}` : sql``}
      order by ${sql(key)} desc limit ${SAMPLES_PER_COLUMN}`;
    if (samples.some(({ value }) => opens(value))) return "fits";
    found ||= samples.length > 0;
  }
  return found ? "differs" : "unknown";
}
