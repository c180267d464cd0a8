import { readFileSync } from "node:fs";
import { join } from "node:path";
import sqlite from "node-sqlite3-wasm";

// A large database of new-api, to measure an import by hand:
//   node --import tsx tools/bench/import-source.ts FILE USERS LOGS
// One key for each user, 40 channels, logs of the last 90 days.

const ROWS_PER_STATEMENT = 500;
const HASH = "$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy";
const NOW = Math.floor(Date.now() / 1_000);
const SPAN = 90 * 86_400;

const [file, users, logs] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
if (!file || !users || !logs) throw new Error("tools/bench/import-source.ts FILE USERS LOGS");

const database = new sqlite.Database(file);
const definitions = readFileSync(join("tests", "imports", "definitions", "new-api.sqlite.sql"), "utf8");
database.exec(`pragma journal_mode = memory; pragma synchronous = off; begin; ${definitions}`);

function fill(table: string, columns: string, count: number, row: (id: number) => string): void {
  for (let from = 1; from <= count; from += ROWS_PER_STATEMENT) {
    const rows = Array.from(
      { length: Math.min(ROWS_PER_STATEMENT, count - from + 1) },
      (_, at) => `(${row(from + at)})`,
    );
    database.exec(`insert into ${table} (${columns}) values ${rows.join(",")}`);
  }
}

fill(
  "users",
  "id, username, password, display_name, role, status, email, quota, used_quota, request_count, `group`, aff_code, inviter_id, created_at",
  users,
  (id) =>
    `${id}, 'user${id}', '${HASH}', 'User ${id}', ${id === 1 ? 100 : 1}, 1, 'user${id}@there.example', ${id % 9_000_000}, ${id % 70_000}, ${id % 300}, 'default', 'a${id}', ${id % 10 === 0 ? id - 9 : 0}, ${NOW - SPAN}`,
);
fill(
  "tokens",
  "id, user_id, `key`, name, status, created_time, expired_time, remain_quota, used_quota, unlimited_quota, model_limits_enabled",
  users,
  (id) =>
    `${id}, ${id}, 'K${String(id).padStart(47, "0")}', 'key', 1, ${NOW - SPAN}, -1, 5000, ${id % 50_000}, ${id % 2}, 0`,
);
fill(
  "channels",
  "id, type, `key`, name, models, status, created_time",
  40,
  (id) => `${id}, 1, 'sk-${id}', 'channel ${id}', 'gpt-4o,gpt-4o-mini', 1, ${NOW - SPAN}`,
);
fill(
  "logs",
  "id, user_id, created_at, type, content, username, token_name, model_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, channel_id, token_id, `group`, other",
  logs,
  (id) => {
    const owner = ((id * 7_919) % users) + 1;
    return `${id}, ${owner}, ${NOW - SPAN + Math.floor((id / logs) * (SPAN - 7_200))}, 2, '', 'user${owner}', 'key', 'gpt-4o', ${id % 900}, 120, 60, 2, 1, ${(id % 40) + 1}, ${owner}, 'default', '{"model_ratio":1.25,"group_ratio":1,"completion_ratio":4,"frt":350}'`;
  },
);
database.exec("commit");
database.close();
