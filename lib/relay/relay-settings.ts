import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sql } from "@/db/client";
import type { LeaseBook } from "@/lib/billing/lease";
import type { Settler } from "@/lib/billing/settle";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { ClientAddress } from "./client-address";
import type { BodyPace } from "./limits/body-deadline";
import type { Realtime } from "./realtime";
import type { RefusalLimits } from "./refusals/refusal-log";
import type { Caller } from "./stages/authenticate";

export type RelaySettings = {
  sql: Sql;
  settler: Settler;
  leaseBook: LeaseBook;
  snapshot: SnapshotStore;
  clientAddress: ClientAddress;
  /** Id of this process in the database; see lib/billing/README.md. */
  nodeId: string;
  /** Identifies callers without an API key; null = look for a key. */
  identify?: (request: IncomingMessage) => Caller | null;
  /** Larger request bodies are refused with 413. Default 64 MiB. */
  bodyBytesMax?: number;
  /** How slowly a body may arrive before it is refused with 408. */
  bodyPace?: BodyPace;
  /** Where large files of requests are kept while they are handled. Default: `uploads` in the data directory. */
  uploadFolder?: string;
  /** How long sessions may go on with what runs in them when the process stops. Default 15 s. */
  sessionGraceMs?: number;
  /** How many refused requests have a row of their own; the others are counted. */
  refusalLimits?: Partial<RefusalLimits>;
  random?: () => number;
  /** The clock of budgets and of affinity. */
  nowSeconds?: () => number;
};

export type Relay = {
  (request: IncomingMessage, response: ServerResponse): void;
  upgrade: Realtime["upgrade"];
  /** Resolves when all requests are answered and settled. */
  idle: () => Promise<void>;
  /** From now on the upstream is aborted when a caller leaves; streams without a caller, and sessions in which nothing runs, end within a second or so. */
  hurry: () => void;
  /** Closes the connections to upstreams. */
  close: () => Promise<void>;
};
