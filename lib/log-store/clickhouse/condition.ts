import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { literal } from "./escape";

const dialect = new PgDialect({ casing: "snake_case" });

/**
 * A condition on columns of usage_logs as ClickHouse reads it, so that there is one description of what a search means. For
 * comparisons, `in`, `like`, `is null`, `and`, `or` and `not`, which both write alike, and texts in `other`, which they do not.
 * `taken`: texts in `other` that the table has as columns.
 */
export function toClickHouse(condition: SQL | undefined, taken: readonly string[] = []): string {
  if (!condition) return "1";
  // Parameters are written in last: no text of a user is looked at as SQL.
  const { words, params } = wordsOf(condition, taken);
  return words.replace(/\$(\d+)/g, (_, place) => literal(params[Number(place) - 1]));
}

/** Whether a condition is on these columns alone. */
export function isOfColumns(
  condition: SQL | undefined,
  columns: readonly string[],
  taken: readonly string[] = [],
): boolean {
  if (!condition) return true;
  const named = wordsOf(condition, taken).words.matchAll(/"(\w+)"/g);
  return [...named].every(([, name = ""]) => columns.includes(name) || taken.includes(name));
}

function wordsOf(condition: SQL, taken: readonly string[]): { words: string; params: unknown[] } {
  const { sql, params } = dialect.sqlToQuery(condition);
  // Old servers know no true and false, and an empty list is the latter.
  const words = sql
    .replaceAll('"usage_logs".', "")
    .replace(/\bfalse\b/g, "0")
    .replace(/\btrue\b/g, "1")
    .replace(/"other"->>'(\w+)'/g, (_, name) =>
      taken.includes(name) ? `"${name}"` : `visitParamExtractString("other", '${name}')`,
    );
  return { words, params };
}
