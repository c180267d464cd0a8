import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { LOG_TABLE } from "./clickhouse/tables";
import { BEHIND_SECONDS, type OutboxState, readOutbox } from "./outbox-queries";
import { readAvailable } from "./read-available";
import { logStore, type ReadableStore } from "./store";

/** It is sent to every two seconds; a batch may take some more. */
const ON_ITS_WAY_SECONDS = 15;
/** For a person who waits for the page. */
const ASK_MS = 5_000;

/** `sending`: the oldest row has waited for longer than a batch takes; `behind`: for far longer. */
type LogStoreStatus = "away" | "behind" | "sending" | "upToDate";

export type LogStoreState = OutboxState & {
  status: LogStoreStatus;
  /** Unix seconds since when the log store cannot be read; null = it can be. */
  awaySince: number | null;
  /** Addresses of servers that cannot be read while others can. */
  awayServers: string[];
};

/** For root: whether the log store can be read now, and what waits for it; null = there is none. */
export async function findLogStoreState(ctx: ServiceContext): Promise<LogStoreState | null> {
  requireRole(ctx, ROLE.root);
  const store = logStore();
  return store === null ? null : readLogStoreState(ctx, store);
}

async function readLogStoreState({ sql }: ServiceContext, store: ReadableStore): Promise<LogStoreState> {
  const [outbox, { missing }] = await Promise.all([
    readOutbox(sql),
    readAvailable(() => store.query(`select 1 from ${LOG_TABLE} limit 1`, { timeoutMs: ASK_MS })),
  ]);
  const since = missing?.awaySince ?? null;
  // What waits may have waited before this process noticed.
  const oldest = outbox.oldestSeconds > ON_ITS_WAY_SECONDS ? nowSeconds() - outbox.oldestSeconds : since;
  const awaySince = since === null ? null : Math.min(since, oldest ?? since);
  return {
    ...outbox,
    awaySince,
    awayServers: awaySince === null ? store.awayServers() : [],
    status: awaySince === null ? statusOf(outbox) : "away",
  };
}

function statusOf({ oldestSeconds }: OutboxState): LogStoreStatus {
  if (oldestSeconds > BEHIND_SECONDS) return "behind";
  return oldestSeconds > ON_ITS_WAY_SECONDS ? "sending" : "upToDate";
}
