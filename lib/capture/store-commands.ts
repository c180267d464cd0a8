import type { TransactionSql } from "postgres";
import type { Sql } from "@/db/client";
import { seal } from "@/lib/crypto";
import { type RawBody, readBody } from "./read-body";
import type { Redact } from "./redact";
import type { Capture } from "./types";

/** A request and its answer as they were, on their way to be redacted. */
export type CapturedRequest = {
  requestId: string;
  userId: number;
  tokenId: number;
  path: string;
  /** As far as the request was read; "" = not known. */
  modelName: string;
  status: number;
  createdAt: number;
  expiresAt: number;
  request: RawBody & { total: number };
  answer: RawBody & { total: number };
};

export type NewCapture = Omit<CapturedRequest, "request" | "answer"> & {
  requestBytes: number;
  answerBytes: number;
  sealed: string;
};

/** PostgreSQL accepts neither NUL nor lone surrogates. */
const clean = (text: string, max: number): string => Buffer.from(text.replaceAll("\0", "").slice(0, max)).toString();

/** Redacts and seals a request. */
export function prepareCapture(captured: CapturedRequest, redact: Redact, charactersMax: number): NewCapture {
  const { request, answer, path, modelName, ...row } = captured;
  const capture: Capture = {
    request: readBody(request, redact, charactersMax),
    answer: readBody(answer, redact, charactersMax),
  };
  return {
    ...row,
    // A key may be in the query.
    path: clean(redact(path.split("?")[0] ?? ""), 500),
    modelName: clean(redact(modelName), 200),
    requestBytes: request.total,
    answerBytes: answer.total,
    sealed: seal(JSON.stringify(capture)),
  };
}

/** Stores captures, and how many were lost before them. */
export async function storeCaptures(sql: Sql, captures: readonly NewCapture[], lost: number): Promise<void> {
  await sql.begin(async (tx) => {
    if (captures.length > 0) {
      const rows = captures.map((row) => ({
        request_id: row.requestId,
        user_id: row.userId,
        token_id: row.tokenId,
        created_at: row.createdAt,
        expires_at: row.expiresAt,
        path: row.path,
        model_name: row.modelName,
        status: row.status,
        request_bytes: row.requestBytes,
        answer_bytes: row.answerBytes,
        sealed: row.sealed,
      }));
      await tx`insert into captures ${tx(rows)} on conflict (request_id) do nothing`;
    }
    const users = [...new Set(captures.map(({ userId }) => userId))].sort((a, b) => a - b);
    for (const user of users) await keepNewest(tx, user);
    if (lost > 0) {
      await tx`
        insert into capture_losses as known (hour, count)
        values (extract(epoch from date_trunc('hour', now()))::bigint, ${lost})
        on conflict (hour) do update set count = known.count + excluded.count`;
    }
  });
}

/** The newest of each user that are kept before their time is over. */
const KEPT_MAX = 1_000;

/** Deletes with every new capture what its user has too much of, so that no rate of requests makes the table grow. */
async function keepNewest(tx: TransactionSql, userId: number): Promise<void> {
  await tx`
    delete from captures where user_id = ${userId} and id <= (
      select id from captures where user_id = ${userId} order by id desc offset ${KEPT_MAX} limit 1)`;
}

const BATCH = 1_000;
/** Limits a run of the job; the next one goes on. */
const BATCHES_MAX = 500;

/** Deletes what is over its time. Returns how many. */
export async function purgeCaptures(sql: Sql, now: number): Promise<number> {
  let count = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const old = await sql`
      delete from captures where id in (select id from captures where expires_at <= ${now} order by expires_at limit ${BATCH})`;
    count += old.count;
    if (old.count < BATCH) break;
  }
  await sql`delete from capture_losses where hour < ${now - 7 * 86_400}`;
  return count;
}
