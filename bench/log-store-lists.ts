import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import type { ServiceContext } from "@/lib/context";
import { createLogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { listFailureGroups } from "@/lib/usage-log/failure-queries";
import { listLogs } from "@/lib/usage-log/queries";
import type { LogSearch } from "@/lib/usage-log/schemas";
import { sumLogs } from "@/lib/usage-log/sum-queries";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";

type Place = { url: string; directory: string; rounds: number };
type Case = { name: string; run: (ctx: ServiceContext) => Promise<unknown> };

/** Times what the log's page asks for, with its count and the join of channels. PostgreSQL is there, with an empty outbox. */
export async function measureLists({ url, directory, rounds }: Place): Promise<void> {
  const server = await startEmbeddedPostgres({ directory: join(directory, "postgres") });
  process.env.LOG_STORE_URL = url;
  const database = createDatabase({ url: server.url, max: 10, applicationName: "bench", isForSearches: true });
  try {
    await migrateDatabase(server.url);
    const ctx: ServiceContext = { ...database, actor: { type: "command-line" }, clientIp: "" };
    for (const { name, run } of await casesFor(url))
      console.log(`${name.padEnd(28)} ${await timesOf(() => run(ctx), rounds)}`);
  } finally {
    await database.end();
    await server.stop();
  }
}

/** With values from the log: users of many and of few rows, and a request from the middle. */
async function casesFor(url: string): Promise<Case[]> {
  const store = createLogStore(parseLogStoreUrl(url));
  const users = await store.query<{ username: string }>(
    "select username from usage_logs group by username order by count() desc",
  );
  const [middle] = await store.query<{ request: string }>(
    "select request_id as request from usage_logs where id = (select intDiv(min(id) + max(id), 2) from usage_logs)",
  );
  const [last] = await store.query<{ at: string }>("select max(created_at) as at from usage_logs");
  await store.end();
  const list = (name: string, search: LogSearch): Case => ({ name, run: (ctx) => listLogs(ctx, search) });
  const day = { startTimestamp: Number(last?.at ?? 0) - 86_400 };
  return [
    list("newest page", {}),
    list("page 50 of 100", { page: 50, pageSize: 100 }),
    list("by a frequent user", { username: users[0]?.username ?? "" }),
    list("by a rare user", { username: users.at(-1)?.username ?? "" }),
    list("by model", { modelName: "o3" }),
    list("by a pattern of models", { modelName: "claude%" }),
    list("by channel", { channelId: 7 }),
    list("by request id", { requestId: middle?.request ?? "" }),
    list("failures", { type: 5 }),
    { name: "failures in groups, a day", run: (ctx) => listFailureGroups(ctx, day) },
    { name: "sums by token name, a day", run: (ctx) => sumLogs(ctx, { ...day, tokenName: "main" }) },
  ];
}

async function timesOf(run: () => Promise<unknown>, rounds: number): Promise<string> {
  await run();
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) =>
    `${(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0)} ms`;
  return `median ${at(0.5)}, p95 ${at(0.95)}`;
}
