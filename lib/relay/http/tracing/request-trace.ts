import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import type { Json } from "../../wire/canonical/json";
import type { AttemptNote } from "../attempts";

/** What a trace needs of a request to an upstream. */
export type Traceable = Pick<UpstreamRequest, "origin" | "model" | "headers">;

/** What a trace tells of the caller's request. */
export type AskedFor = { readonly isStream: boolean; readonly json?: Readonly<Json> };

/** One request to an upstream. */
export type AttemptSpan = {
  /** Only the first call counts. */
  end(note: AttemptNote): void;
};

/** The trace of one request. */
export type RequestTrace = {
  /** Gives the request the headers by which its upstream can continue the trace. */
  attempt(channel: SnapshotChannel, request: Traceable, intake: AskedFor): AttemptSpan;
  end(): void;
};
