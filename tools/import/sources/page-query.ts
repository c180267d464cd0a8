type Page = { key: string; after: number | string; limit: number };

/** SELECT of the wanted columns that the table has, in the order of the key. All three engines understand it; keys of text are PostgreSQL's alone. */
export function pageQuery(
  table: string,
  columns: ReadonlySet<string> | undefined,
  wanted: readonly string[],
  quote: (name: string) => string,
  page?: Page,
): string {
  const present = wanted.filter((column) => columns?.has(column)).map(quote);
  const list = present.length > 0 ? present.join(", ") : "1 as nothing";
  const query = `select ${list} from ${quote(table)}`;
  if (!page) return query;
  const key = quote(page.key);
  const after = typeof page.after === "number" ? page.after : `'${page.after.replaceAll("'", "''")}'`;
  return `${query} where ${key} > ${after} order by ${key} limit ${page.limit}`;
}

/** Tables and their columns as rows of two texts. */
export function tablesOf(rows: readonly { table: string; column: string }[]): Map<string, Set<string>> {
  const tables = new Map<string, Set<string>>();
  for (const { table, column } of rows) tables.set(table, (tables.get(table) ?? new Set()).add(column));
  return tables;
}
