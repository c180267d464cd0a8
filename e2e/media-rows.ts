import { readFileSync } from "node:fs";
import { join } from "node:path";
import postgres from "postgres";

/** Runs SQL in the server's built-in database: these runs have no upstream for drawings and music. */
export async function withDatabase<Result>(work: (sql: postgres.Sql) => Promise<Result>): Promise<Result> {
  const directory = join(process.env.WEIR_E2E_DATA ?? "", "postgres");
  const read = (name: string) => readFileSync(join(directory, name), "utf8").trim();
  const sql = postgres(`postgres://weir:${read("password")}@127.0.0.1:${read("port")}/postgres`, { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.end();
  }
}

export const PIXEL =
  "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSI4IiBoZWlnaHQ9IjgiLz4=";

type Drawing = Partial<
  Record<"action" | "status" | "progress" | "prompt" | "prompt_en" | "fail_reason" | "image_url", string>
> & { mj_id: string; user_id: number; code?: number; submit_time: number; finish_time?: number };

export async function addDrawings(rows: readonly Drawing[]): Promise<void> {
  await withDatabase(async (sql) => {
    for (const { mj_id: task_id, image_url, ...row } of rows)
      await addRow(sql, { action: "IMAGINE", platform: "mj", task_id, results: image_url ? [image_url] : [], ...row });
  });
}

type Row = { submit_time: number; results?: string[]; data?: unknown; [column: string]: unknown };

/** Times are milliseconds. */
async function addRow(sql: postgres.Sql, { results = [], data = null, ...row }: Row): Promise<void> {
  const at = Math.floor(row.submit_time / 1_000);
  const values = { channel_id: 77, created_at: at, updated_at: at, ...(row as Record<string, string | number>) };
  const documents = { results: sql.json(results), data: sql.json(data as postgres.JSONValue) };
  await sql`insert into tasks ${sql({ ...values, ...documents })}`;
}

type Task = Partial<Record<"action" | "status" | "progress" | "fail_reason" | "platform", string>> & {
  task_id: string;
  user_id: number;
  submit_time: number;
  finish_time?: number;
  data?: unknown;
};

export async function addTasks(rows: readonly Task[]): Promise<void> {
  await withDatabase(async (sql) => {
    for (const { data = null, ...row } of rows) {
      const times = { submit_time: row.submit_time * 1_000, finish_time: (row.finish_time ?? 0) * 1_000 };
      await addRow(sql, { platform: "suno", action: "MUSIC", ...row, ...times, data });
    }
  });
}
