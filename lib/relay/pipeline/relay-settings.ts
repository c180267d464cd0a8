import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { Sql } from "@/db/client";
import type { LeaseBook } from "@/lib/billing/lease";
import type { Settler } from "@/lib/billing/settle";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Caller } from "../admission/authenticate";
import type { RefusalLimits } from "../admission/refusals/refusal-log";
import type { BodyPace } from "../http/bodies/body-deadline";
import type { InHand } from "../http/in-hand";
import type { Watching } from "../http/open-exchange";
import type { Circuits } from "../routing/circuits";
import type { RunningStreams } from "./running-streams";

export type RelaySettings = Watching & {
  sql: Sql;
  settler: Settler;
  leaseBook: LeaseBook;
  snapshot: SnapshotStore;
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
  /** Sessions in which nothing runs end so long before the others when the process stops. Default 15 s. */
  sessionGraceMs?: number;
  /** How many refused requests have a row of their own; the others are counted. */
  refusalLimits?: Partial<RefusalLimits>;
  random?: () => number;
  /** The clock of budgets and of affinity. */
  nowSeconds?: () => number;
};

export type Relay = {
  (request: IncomingMessage, response: ServerResponse): void;
  /** For the `upgrade` event of the server. */
  upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => boolean;
  /** Resolves when all requests are answered and settled. */
  idle: () => Promise<void>;
  /** The process stops: no session begins any more, and all end until `endsAt` (of performance.now()). No answer keeps its connection. */
  drainUntil: (endsAt: number) => void;
  /** What still runs is ended with an error, and upstreams without a caller are aborted within a second or so. */
  cutOff: () => void;
  figures: () => RelayFigures;
  /** Closes the connections to upstreams. */
  close: () => Promise<void>;
};

/** What a relay is doing at the moment. */
export type RelayFigures = { inHand: number; streams: number; circuits: ReturnType<Circuits["counts"]> };

type Shared = { streams: RunningStreams; circuits: Circuits };

export function figuresOf(inHand: InHand, { streams, circuits }: Shared): () => RelayFigures {
  return () => ({ inHand: inHand.count(), streams: streams.count(), circuits: circuits.counts() });
}
