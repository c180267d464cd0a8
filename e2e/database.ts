import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

/** Whether the server's built-in database can be reached: only when this run started the server. */
export const hasDatabase = () => (process.env.WEIR_E2E_DATA ?? "") !== "";

async function change(run: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const directory = join(process.env.WEIR_E2E_DATA ?? "", "postgres");
  const read = (name: string) => readFileSync(join(directory, name), "utf8").trim();
  const sql = postgres(`postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`, { max: 1 });
  try {
    await run(sql);
  } finally {
    await sql.end();
  }
}

/** Makes the last proof of all the account's sessions old, instead of waiting ten minutes. */
export const letProofAge = (username: string): Promise<void> =>
  change(
    (sql) => sql`update sessions set confirmed_at = 1
      where user_id = (select id from users where username = ${username})`,
  );

export const setEmail = (username: string, email: string): Promise<void> =>
  change((sql) => sql`update users set email = ${email} where username = ${username}`);

/** As a code is whose time has passed. */
export const letCodeExpire = (id: number): Promise<void> =>
  change((sql) => sql`update redemptions set expired_time = 1000 where id = ${id}`);

/** The result of a check of the books that has just found this hour (unix seconds) to differ; the next is due tomorrow. */
export const addBooksCheck = (hour: number): Promise<void> => {
  const found = [{ check: "usage_logs.quota", id: hour, stored: 7, computed: 5, detail: "user 1, token 2, channel 3" }];
  return change(
    (sql) => sql`
      insert into reconcile_runs (started_at, checked, differences, difference_count)
      values (floor(extract(epoch from now()))::bigint, ${JSON.stringify({ "users.quota": 12 })}::text::jsonb, ${JSON.stringify(found)}::text::jsonb, 1)`,
  );
};

/** A charge that the database refused, and that cannot be booked later either. */
export const addRefusedCharge = (requestId: string): Promise<void> =>
  change(
    (sql) => sql`
      insert into refused_settlements (request_id, user_id, quota, row, code, message)
      values (${requestId}, 1, 500000, '{}', '22003', 'integer out of range')`,
  );

/** Removes what these two added. */
export const forgetBooks = (): Promise<void> =>
  change(async (sql) => {
    await sql`delete from reconcile_runs`;
    await sql`delete from refused_settlements`;
  });
