import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { DatabaseHandle } from "@/db/client";
import { createLogStore, type LogStore } from "@/lib/log-store/clickhouse/client";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { readOutbox } from "@/lib/log-store/outbox-queries";
import { until } from "@/tests/runtime/weir-process";
import { startOwnClickHouse } from "../operations/own-clickhouse";
import type { Addition } from "./addition";

const REPLICA_DOWN_MS = 10_000;
const AWAY_MS = 45_000;
const SHIPPED_MS = 180_000;

/** Two shards of two replicas of ClickHouse with their ZooKeeper, as the store of the usage log. */
export async function addLogStore(folder: string): Promise<Addition> {
  const clickhouse = await startOwnClickHouse(join(folder, "clickhouse"), { isCluster: true });
  const store = createLogStore(parseLogStoreUrl(clickhouse.url));
  const [first, ...others] = clickhouse.servers;
  if (!first) throw new Error("there is no server");
  const all = [first, ...others];
  return {
    env: { LOG_STORE_URL: clickhouse.url },
    trials: [
      {
        name: "a replica of ClickHouse",
        happen: () => first.kill(),
        async repair() {
          await delay(REPLICA_DOWN_MS);
          await first.startAgain();
        },
      },
      {
        name: "all of ClickHouse (the outbox fills)",
        async happen() {
          await Promise.all(all.map((server) => server.kill()));
        },
        async repair() {
          await delay(AWAY_MS);
          for (const server of all) await server.startAgain();
        },
      },
    ],
    async settle({ sql }) {
      await until("the outbox is empty", async () => (await readOutbox(sql)).rows === 0, SHIPPED_MS);
    },
    charges: async () =>
      (
        await store.query<{ id: string; count: string; quota: string }>(
          "select request_id as id, count() as count, sum(quota) as quota from usage_logs where type = 2 group by request_id",
        )
      ).map(({ id, count, quota }) => ({ id, count: Number(count), quota: Number(quota) })),
    problems: (database) => compare(database, store),
    async stop() {
      await store.end();
      await clickhouse.stop();
    },
  };
}

/** Each settled request is in ClickHouse once, and nothing else is. A reader that takes no care must find it so. */
async function compare({ sql }: DatabaseHandle, store: LogStore): Promise<string[]> {
  const settled = await sql<{ id: string }[]>`select request_id as id from settled_requests`;
  const stored = await store.query<{ request_id: string; rows: string }>(
    "select request_id, count() as rows from usage_logs group by request_id",
  );
  const known = new Map(stored.map(({ request_id, rows }) => [request_id, Number(rows)]));
  const expected = new Set(settled.map(({ id }) => id));
  return [
    ...[...expected].filter((id) => !known.has(id)).map((id) => `no row in ClickHouse: ${id}`),
    ...[...known].filter(([, rows]) => rows > 1).map(([id, rows]) => `${rows} rows in ClickHouse: ${id}`),
    ...[...known.keys()].filter((id) => !expected.has(id)).map((id) => `a row in ClickHouse of no request: ${id}`),
  ];
}
