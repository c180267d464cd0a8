import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createDatabase, type Sql } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import type { ServiceContext } from "@/lib/context";
import { completeByUser } from "@/lib/log-store/by-user-commands";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { type LogQuestion, logQuestions, readLogSample } from "./log-store-questions";

/** `seconds`: at most so long for the questions of a kind by so many callers. */
type Place = {
  url: string;
  directory: string;
  questions: number;
  seconds: number;
  only: RegExp;
  before: () => Promise<void>;
};

/**
 * Times what the log's pages ask for, with their counts and the join of channels: so many different questions of each kind,
 * by one caller and by four. PostgreSQL is there, with an empty outbox.
 */
export async function measureLists({ url, directory, only, ...terms }: Place): Promise<void> {
  const server = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  process.env.LOG_STORE_URL = url;
  const database = createDatabase({ url: server.url, max: 10, applicationName: "bench", isForSearches: true });
  try {
    await migrateDatabase(server.url);
    const ctx: ServiceContext = { ...database, actor: { type: "command-line" }, clientIp: "" };
    await putInOrderOfUsers(database.sql, url);
    const sample = await readLogSample(url);
    // The log ends now, whenever it was filled.
    const shift = sample.until * 1_000 - Date.now();
    const clock = Date.now;
    Date.now = () => clock() + shift;
    for (const question of logQuestions(sample).filter(({ name }) => only.test(name))) {
      const one = await timesOf(ctx, question, 1, terms);
      const four = await timesOf(ctx, question, 4, terms);
      console.log(`${question.name.padEnd(34)} ${told(one)}   4 callers ${told(four)}`);
    }
  } finally {
    await database.end();
    await server.stop();
  }
}

/** As the worker does, which is not there. */
async function putInOrderOfUsers(sql: Sql, url: string): Promise<void> {
  const store = createLogStore(parseLogStoreUrl(url));
  const before = performance.now();
  const known = new Map<string, string>();
  while ((await completeByUser(sql, store, known)) > 0);
  await store.end();
  console.log(`in the order of users: ${((performance.now() - before) / 1_000).toFixed(1)} s`);
}

/** The time of each question in ms, sorted. */
async function timesOf(
  ctx: ServiceContext,
  { ask }: LogQuestion,
  callers: number,
  { questions, seconds, before }: Pick<Place, "questions" | "seconds" | "before">,
): Promise<number[]> {
  const end = performance.now() + seconds * 1_000;
  const times: number[] = [];
  let asked = 0;
  const call = async () => {
    for (let number = asked++; number < questions && performance.now() < end; number = asked++) {
      await before();
      const start = performance.now();
      await ask(ctx, number * 2 + (callers > 1 ? 1 : 0));
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
  return times.sort((a, b) => a - b);
}

function told(times: readonly number[]): string {
  const at = (share: number) =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0).padStart(5);
  return `${String(times.length).padStart(4)}: p50 ${at(0.5)} p95 ${at(0.95)} p99 ${at(0.99)} ms`;
}
