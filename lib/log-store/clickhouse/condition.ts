import type { SQL } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { literal } from "./escape";

const dialect = new PgDialect({ casing: "snake_case" });

/**
 * A condition on columns of usage_logs as ClickHouse reads it, so that there is one description of what a search means. For
 * comparisons, `in`, `like`, `is null`, `and`, `or` and `not`, which both write alike, and texts in `other`, which they do not.
 */
export function toClickHouse(condition: SQL | undefined): string {
  if (!condition) return "1";
  const { sql, params } = dialect.sqlToQuery(condition);
  // Parameters are written in last: no text of a user is looked at as SQL. Old servers know no true and false, and an empty
  // list is the latter.
  const words = sql
    .replaceAll('"usage_logs".', "")
    .replace(/\bfalse\b/g, "0")
    .replace(/\btrue\b/g, "1")
    .replace(/"other"->>('\w+')/g, 'visitParamExtractString("other", $1)');
  return words.replace(/\$(\d+)/g, (_, place) => literal(params[Number(place) - 1]));
}

/** Whether a condition is on these columns alone. */
export function isOfColumns(condition: SQL | undefined, columns: readonly string[]): boolean {
  if (!condition) return true;
  const named = dialect.sqlToQuery(condition).sql.matchAll(/"(\w+)"/g);
  return [...named].every(([, name = ""]) => name === "usage_logs" || columns.includes(name));
}
