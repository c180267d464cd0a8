import type { OperationId } from "@/lib/operations";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Exchange } from "../exchange";
import type { RequestTarget } from "../on-end";
import type { RequestTrace, Traceable } from "./request-trace";

export type Protocol = "http/protobuf" | "http/json";

/** What Weir asks an upstream for itself, beside the requests of callers. */
export type OwnCall = {
  purpose: "test" | "poll";
  /** Null = none, as for questions about tasks. */
  operation: OperationId | null;
  channel: SnapshotChannel;
  request: Traceable;
};

export type OwnSpan = {
  /** `status`: the upstream's; null = it did not answer. */
  end(status: number | null): void;
};

export type Tracing = {
  begin(exchange: Exchange, endpoint: RequestTarget): RequestTrace;
  /** A trace of its own. Gives the request the headers by which its upstream can continue it. */
  beginOwn(call: OwnCall): OwnSpan;
  /** Spans that were not delivered, because the collector was away or too slow. */
  dropped(): number;
  /** Sends what is left, for two seconds at most. */
  stop(): Promise<void>;
};

/** On globalThis, because Next's bundle has this file a second time. */
const holder = globalThis as typeof globalThis & { weirTracing?: Tracing };

export function setProcessTracing(tracing: Tracing): void {
  holder.weirTracing = tracing;
}

/** Null = tracing is off in this process. */
export function beginOwn(call: OwnCall): OwnSpan | null {
  return holder.weirTracing?.beginOwn(call) ?? null;
}

/** Null = tracing is off in this process. */
export function processTracing(): Tracing | null {
  return holder.weirTracing ?? null;
}
