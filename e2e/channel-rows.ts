import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

/** Disables a channel as the system would. Works only when this run started the server. */
export async function disableAsSystem(name: string, reason: string, since: number): Promise<void> {
  const info = JSON.stringify({ status_reason: reason, status_time: since });
  await withDatabase(async (sql) => {
    await sql`update channels set status = 3, other_info = ${info}::text::jsonb where name = ${name}`;
  });
}

/** Opens the circuit of a channel as the relay would. */
export async function openCircuit(name: string, model: string, cause: string): Promise<void> {
  await withDatabase(async (sql) => {
    await sql`
      insert into channel_circuits (channel_id, model, cause, open_until)
      select id, ${model}, ${cause}, now() + interval '90 seconds' from channels where name = ${name}`;
  });
}

async function withDatabase(work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const directory = join(process.env.WEIR_E2E_DATA ?? "", "postgres");
  const read = (file: string) => readFileSync(join(directory, file), "utf8").trim();
  const sql = postgres(`postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`, { max: 1 });
  try {
    await work(sql);
  } finally {
    await sql.end();
  }
}
