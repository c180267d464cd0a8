import type { IncomingHttpHeaders } from "node:http";
import type { BilledUsage, Charge, PriceRow } from "@/lib/billing/types";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Answer, Report } from "../answers/answer";
import type { CallerDialect } from "../dialects/dialect";
import type { UpstreamRow } from "../upstreams/channel-type";

/** A kind of work that callers ask for: conversations, embeddings, pictures … */
export type Operation = {
  id: string;
  endpoints: readonly OperationEndpoint[];
  /** Reads a request. Throws RelayError 400. */
  read(body: Buffer, call: Call): Intake;
  /** Whole quota, with the lines that it is made of. Pure. */
  charge(usage: BilledUsage, price: PriceRow): Charge;
};

export type OperationEndpoint = { method: string; path: string | RegExp; caller: CallerDialect };

/** How a request was made. */
export type Call = {
  operation: Operation;
  caller: CallerDialect;
  requestId: string;
  path: string;
  /** With its question mark, or "". Never the caller's key. */
  query: string;
  headers: IncomingHttpHeaders;
};

/** What the stages have to know of a request. What else is in it only its operation and its dialect know. */
export type Intake = {
  readonly model: string;
  readonly isStream: boolean;
  /** What the word check looks at. */
  words(): Iterable<string>;
  /** The most that it is expected to cost, in quota. `completionTokens`: for a choice without a limit of its own. */
  bound(price: PriceRow, completionTokens: number): number;
  /** The request as a channel's upstream wants it. Throws RelayError when no channel can be asked this. */
  encode(target: EncodeTarget): Encoded | Promise<Encoded>;
  /** What was used: as reported, or counted by us. `report`: null = nothing reached the caller. Never rejects. */
  measure(report: Report | null): BilledUsage | Promise<BilledUsage>;
};

export type EncodeTarget = {
  channel: SnapshotChannel;
  row: UpstreamRow;
  /** The upstream's name for the model. */
  model: string;
  /** The body goes out as it came, where upstream and caller speak the same dialect. */
  isUntouched: boolean;
};

export type Encoded = {
  path: string;
  /** With its question mark, or "". */
  query: string;
  /** Header names and values, alternating, that this request brings beside the channel's. */
  headers: readonly string[];
  body: Buffer;
  /** For each try: what comes back is read by one of its own. */
  openAnswer: () => Answer;
};
