import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

/** Disables a channel as the system would. Works only when this run started the server. */
export async function disableAsSystem(name: string, reason: string, since: number): Promise<void> {
  const directory = join(process.env.WEIR_E2E_DATA ?? "", "postgres");
  const read = (file: string) => readFileSync(join(directory, file), "utf8").trim();
  const sql = postgres(`postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`, { max: 1 });
  try {
    const info = JSON.stringify({ status_reason: reason, status_time: since });
    await sql`update channels set status = 3, other_info = ${info}::text::jsonb where name = ${name}`;
  } finally {
    await sql.end();
  }
}
