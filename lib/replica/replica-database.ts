import { createDatabase, type DatabaseHandle, databaseOf, type Sql } from "@/db/client";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { logger } from "@/lib/logger";
import { type ReplicaState, WatchedReplica } from "./watched-replica";

export type ConsoleReplica = {
  handle: DatabaseHandle;
  watched: WatchedReplica;
  limitSeconds: number;
  /** How many reads went there, and how many to the primary although there is a replica. */
  reads: { replica: number; primary: number };
  close: () => Promise<void>;
};

const POOL_SIZE = 10;
const STATEMENT_TIMEOUT_MS = 15_000;
/** A look at the replica must not take longer. */
const LOOK_TIMEOUT_MS = 2_000;

/** Null = there is none. On globalThis as the console's own pool is. */
const holder = globalThis as typeof globalThis & { weirReplica?: ConsoleReplica | null };

/** The replica of DATABASE_REPLICA_URL; null = there is none. Opens its pool at the first call. */
export function consoleReplica(): ConsoleReplica | null {
  if (holder.weirReplica === undefined) {
    const { DATABASE_REPLICA_URL: url, WEIR_REPLICA_LAG_SECONDS: limitSeconds } = env();
    holder.weirReplica = url === undefined ? null : openReplica(url, limitSeconds);
  }
  return holder.weirReplica;
}

/** For those who only look: never opens it. */
export function openedReplica(): ConsoleReplica | null {
  return holder.weirReplica ?? null;
}

function openReplica(url: string, limitSeconds: number): ConsoleReplica {
  const handle = createDatabase({
    url,
    isReplica: true,
    max: POOL_SIZE,
    applicationName: "weir-console replica",
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    isForSearches: true,
  });
  const looks = { max: 1, applicationName: "weir-replica-lag", statementTimeoutMs: LOOK_TIMEOUT_MS };
  const { DATABASE_URL: primaryUrl = "", DATABASE_DIRECT_URL: directUrl } = env();
  const [primary, replica] = [
    createDatabase({ ...looks, url: primaryUrl, directUrl }),
    createDatabase({ ...looks, url, isReplica: true }),
  ];
  const watched = new WatchedReplica({
    primary: primary.sql,
    replica: replica.sql,
    limitMs: limitSeconds * 1_000,
    onChange: tell,
  });
  return {
    handle,
    watched,
    limitSeconds,
    reads: { replica: 0, primary: 0 },
    async close() {
      delete holder.weirReplica;
      await watched.stop();
      await Promise.all([handle, primary, replica].map(({ end }) => end()));
    },
  };
}

function tell({ status, lagMs, lagBytes }: ReplicaState): void {
  if (status === "fresh") logger.info({ lagMs, lagBytes }, "the replica is read");
  else logger.warn({ status, lagMs, lagBytes }, "the replica is not read; pages read the primary");
}

/** A context whose statements run in one transaction of the replica, so that all of them see one server at one moment. */
export async function inReplica<Result>(
  { handle }: ConsoleReplica,
  ctx: ServiceContext,
  run: (ctx: ServiceContext) => Promise<Result>,
): Promise<Result> {
  return (await handle.sql.begin("isolation level repeatable read read only", (begun) => {
    const sql = Object.assign(begun, { options: handle.sql.options }) as unknown as Sql;
    return run({ ...ctx, sql, db: databaseOf(sql) });
  })) as Result;
}

/** What people see of the replica of one console process. */
export type ReplicaView = ReplicaState & { limitSeconds: number; reads: { replica: number; primary: number } };

/** The replica as this process sees it (super administrators); null = there is none. */
export function viewReplica(ctx: ServiceContext): ReplicaView | null {
  requireRole(ctx, ROLE.root);
  const replica = consoleReplica();
  if (!replica) return null;
  return { ...replica.watched.state(), limitSeconds: replica.limitSeconds, reads: { ...replica.reads } };
}
