import type { setUpApi } from "./harness";

/** Everything that a caller might want to change, as "user.column" → value; for other tables the number of rows. */
export async function snapshotOf({
  database: { sql },
  ...people
}: ReturnType<typeof setUpApi>): Promise<Map<string, string>> {
  const names = new Map(Object.entries(people).map(([name, { id }]) => [id, name]));
  const reading = sql`select * from users where id in ${sql([...names.keys()])} order by id`;
  const counting = sql`
    select (select count(*) from users) as users, (select count(*) from tokens) as tokens, (select count(*) from options) as options,
      (select count(*) from ledger_entries) as ledger, (select count(*) from affiliate_entries) as affiliate,
      (select count(*) from users where role > 1) as staff, (select count(*) from usage_logs) as logs,
      (select coalesce(sum(quota), 0) from users) as quota`;
  const [rows, counts] = await Promise.all([reading, counting]);
  const entries = [
    ...rows.map((row) => [names.get(row.id) ?? `user${row.id}`, row] as const),
    ["count", counts[0] ?? {}] as const,
  ];
  return new Map(
    entries.flatMap(([who, row]) =>
      Object.entries(row).map(([column, value]) => [`${who}.${column}`, JSON.stringify(value)] as const),
    ),
  );
}
