import { createConnection, type RowDataPacket } from "mysql2/promise";
import type { Source, SourceRow } from "../types";
import { pageQuery, tablesOf } from "./page-query";

const quote = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/** Opens a database of MySQL or MariaDB. All tables are read as of the same moment. */
export async function openMysql(url: URL): Promise<Source> {
  const connection = await createConnection({
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: Number(url.port || 3_306),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
    database: decodeURIComponent(url.pathname.slice(1)),
    charset: "utf8mb4",
    // Numbers beyond 2^53 come as texts; times too, because zero dates are none.
    supportBigNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    ...(/^(true|1|required)$/i.test(url.searchParams.get("ssl") ?? url.searchParams.get("tls") ?? "")
      ? { ssl: {} }
      : {}),
  });
  // Otherwise a lost connection would end the process; the statement that needs it reports it.
  connection.on("error", () => {});
  const select = async (query: string): Promise<SourceRow[]> =>
    (await connection.query<(RowDataPacket & SourceRow)[]>(query))[0];
  try {
    await connection.query("set session transaction isolation level repeatable read");
    await connection.query("start transaction with consistent snapshot, read only");
    const rows = await select(
      "select c.table_name as `table`, c.column_name as `column` from information_schema.columns c join information_schema.tables t using (table_schema, table_name) where table_schema = database() and t.table_type = 'BASE TABLE'",
    );
    const tables = tablesOf(rows.map((row) => ({ table: String(row.table), column: String(row.column) })));
    return {
      tables,
      page: (table, wanted, page) => select(pageQuery(table, tables.get(table), wanted, quote, page)),
      all: (table, wanted) => select(pageQuery(table, tables.get(table), wanted, quote)),
      count: async (table) => Number((await select(`select count(*) as n from ${quote(table)}`))[0]?.n ?? 0),
      close: () => connection.end(),
    };
  } catch (error) {
    connection.destroy();
    throw error;
  }
}
