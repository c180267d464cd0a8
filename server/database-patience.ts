import type { ListenPatience } from "@/db/listen";

/**
 * How long the statements of a gateway may take. Short, because a connection whose server is gone without a word is kept a
 * second longer than that (db/client.ts).
 */
export type DatabasePatience = {
  /** Flushes and everything that no request waits for. Less than the time after which the settler gives a flush up. */
  statementMs: number;
  /** Heartbeats and parts of balances. */
  leaseStatementMs: number;
  /** For how long a reservation that failed is tried again. */
  leaseRetryMs: number;
  /** Look-ups of keys. */
  keyStatementMs: number;
  listening: Partial<ListenPatience>;
};

export const DATABASE_PATIENCE: DatabasePatience = {
  statementMs: 7_000,
  leaseStatementMs: 3_000,
  leaseRetryMs: 2_000,
  keyStatementMs: 3_000,
  listening: {},
};
