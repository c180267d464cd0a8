import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { AttemptNote } from "../attempts";
import type { UpstreamRequest } from "../upstreams/upstream-request";

/** One request to an upstream. */
export type AttemptSpan = {
  /** Only the first call counts. */
  end(note: AttemptNote): void;
};

/** The trace of one request. */
export type RequestTrace = {
  /** Gives the request the headers by which its upstream can continue the trace. */
  attempt(channel: SnapshotChannel, request: UpstreamRequest): AttemptSpan;
  end(): void;
};
