import { connect } from "@/db/connect";
import type { Source, SourceRow } from "../types";
import { pageQuery, tablesOf } from "./page-query";

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Opens a PostgreSQL database. All tables are read as of the same moment. */
export async function openPostgres(address: string): Promise<Source> {
  // bigint comes as a text, so that nothing is lost of it. Only the tables of the connection's schema are looked at.
  const sql = connect(address, {
    isReplica: true,
    max: 1,
    connect_timeout: 10,
    idle_timeout: 0,
    max_lifetime: null,
    onnotice: () => {},
    types: {
      json: { to: 114, from: [114, 3802], serialize: String, parse: String },
      // Without a zone: programs that keep times so mean UTC.
      timestamp: {
        to: 1114,
        from: [1114],
        serialize: String,
        parse: (text: string) => new Date(`${text.replace(" ", "T")}Z`),
      },
    },
  });
  try {
    const reserved = await sql.reserve();
    const select = async (query: string): Promise<SourceRow[]> => reserved.unsafe<SourceRow[]>(query);
    await reserved.unsafe("begin transaction isolation level repeatable read read only");
    const rows = await select(
      `select c.table_name as "table", c.column_name as "column" from information_schema.columns c join information_schema.tables t using (table_schema, table_name) where table_schema = current_schema() and t.table_type = 'BASE TABLE'`,
    );
    const tables = tablesOf(rows.map((row) => ({ table: String(row.table), column: String(row.column) })));
    return {
      tables,
      page: (table, wanted, page) => select(pageQuery(table, tables.get(table), wanted, quote, page)),
      all: (table, wanted) => select(pageQuery(table, tables.get(table), wanted, quote)),
      count: async (table) => Number((await select(`select count(*) as n from ${quote(table)}`))[0]?.n ?? 0),
      async close() {
        reserved.release();
        await sql.end({ timeout: 5 });
      },
    };
  } catch (error) {
    await sql.end({ timeout: 1 });
    throw error;
  }
}
