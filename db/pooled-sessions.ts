import { setTimeout as delay } from "node:timers/promises";
import { connect } from "./connect";

/** The same for all: PgBouncer has the server set another name, with a statement, each time that a session changes hands. */
export const POOLED_NAME = "weir-pooled";
/** More than a pooler has for one account, as a rule. */
const SESSIONS_MAX = 100;
const PAUSE_MS = 20;
const CONNECT_SECONDS = 3;
/** What a caller hears of a session that ends under its statement: from PostgreSQL, from a pooler, from the driver. */
const ENDED = new Set(["57P01", "08P01", "CONNECTION_CLOSED"]);

/**
 * A pooler keeps its own sessions at a server which has become a reader, for as long as it likes, and gives them to whoever asks.
 * The function that is returned ends them, one at a time and its own alone, until the pooler leads to a server that takes writes. It is to be
 * called when a connection has ended, as one does that is told that it cannot write.
 */
export function createReaderGuard(url: string, ended: AbortSignal): () => void {
  let isRunning = false;
  return () => {
    if (isRunning || ended.aborted) return;
    isRunning = true;
    void endReaders(url, ended).finally(() => {
      isRunning = false;
    });
  };
}

async function endReaders(url: string, ended: AbortSignal): Promise<void> {
  for (let left = SESSIONS_MAX; left > 0 && !ended.aborted && (await endReader(url)); left--) await delay(PAUSE_MS);
}

/** Whether there was one. */
async function endReader(url: string): Promise<boolean> {
  const sql = connect(url, {
    isPooled: true,
    max: 1,
    prepare: false,
    connect_timeout: CONNECT_SECONDS,
    silence_timeout: CONNECT_SECONDS,
    onnotice: () => {},
    connection: { application_name: POOLED_NAME },
  });
  try {
    const [row] = await sql<{ ended: boolean | null }[]>`
      select case when pg_is_in_recovery() or current_setting('transaction_read_only') = 'on'
        then pg_terminate_backend(pg_backend_pid()) end as ended`;
    return row?.ended === true;
  } catch (error) {
    return ENDED.has(String((error as { code?: unknown }).code));
  } finally {
    await sql.end({ timeout: 0 });
  }
}
