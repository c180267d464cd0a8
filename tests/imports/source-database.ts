import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createConnection } from "mysql2/promise";
import sqlite from "node-sqlite3-wasm";
import postgres from "postgres";

export type Cell = string | number | bigint | boolean | null;
export type Cells = Record<string, Cell>;
/** Rows by table. */
export type Content = Record<string, Cells[]>;
export type Engine = "sqlite" | "mysql" | "postgres";

function definitions(system: string, engine: Engine): string[] {
  const text = readFileSync(join("tests", "imports", "definitions", `${system}.${engine}.sql`), "utf8");
  return text.split(";\n").filter((statement) => statement.trim() !== "");
}

function literal(value: Cell, engine: Engine): string {
  if (value === null) return "NULL";
  if (typeof value === "boolean") return engine === "postgres" ? String(value) : String(Number(value));
  if (typeof value !== "string") return String(value);
  return `'${(engine === "mysql" ? value.replaceAll("\\", "\\\\") : value).replaceAll("'", "''")}'`;
}

/** Statements that make the tables of a system and fill them. Rows of a table may have different columns. */
export function* statements(system: string, engine: Engine, content: Content): Generator<string> {
  const quote = (name: string) => (engine === "postgres" ? `"${name}"` : `\`${name}\``);
  yield* definitions(system, engine);
  for (const [table, rows] of Object.entries(content)) {
    for (const row of rows) {
      const names = Object.keys(row).map(quote).join(", ");
      yield `INSERT INTO ${quote(table)} (${names}) VALUES (${Object.values(row)
        .map((value) => literal(value, engine))
        .join(", ")})`;
    }
  }
}

export function fillSqlite(file: string, system: string, content: Content): void {
  const database = new sqlite.Database(file);
  database.exec("begin");
  for (const statement of statements(system, "sqlite", content)) database.exec(statement);
  database.exec("commit");
  database.close();
}

export async function fillPostgres(url: string, system: string, content: Content): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  for (const statement of statements(system, "postgres", content)) await sql.unsafe(statement);
  await sql.end();
}

export async function fillMysql(url: string, system: string, content: Content): Promise<void> {
  const connection = await createConnection(url);
  await connection.query("SET sql_mode = ''");
  for (const statement of statements(system, "mysql", content)) await connection.query(statement);
  await connection.end();
}
