import type { IncomingHttpHeaders } from "node:http";
import type { BilledUsage, Charge, PriceRow } from "@/lib/billing/types";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Answer, Report } from "../answers/answer";
import type { CallerDialect } from "../dialects/dialect";
import type { UpstreamRow } from "../upstreams/channel-type";

/** A kind of request: conversations, embeddings, images … */
export type Operation = {
  id: string;
  endpoints: readonly OperationEndpoint[];
  /** Throws RelayError with 400 for an invalid request. */
  read(body: Buffer, call: Call): Intake;
  /** The charge in whole quota, with its line items. Pure. */
  charge(usage: BilledUsage, price: PriceRow): Charge;
};

export type OperationEndpoint = { method: string; path: string | RegExp; caller: CallerDialect };

/** The context of a request. */
export type Call = {
  operation: Operation;
  caller: CallerDialect;
  requestId: string;
  path: string;
  /** Includes the question mark; "" = no query. Never contains the client's key. */
  query: string;
  headers: IncomingHttpHeaders;
};

/** What the stages need to know about a request. Everything else in it is known only to its operation and dialect. */
export type Intake = {
  readonly model: string;
  readonly isStream: boolean;
  /** The texts that the sensitive word check reads. */
  words(): Iterable<string>;
  /** Upper estimate of the cost, in quota. `completionTokens` applies to choices without a limit of their own. */
  bound(price: PriceRow, completionTokens: number): number;
  /** Encodes the request for a channel's upstream. Throws RelayError when no channel could serve it. */
  encode(target: EncodeTarget): Encoded | Promise<Encoded>;
  /** Usage as reported, or else counted here. `report`: null = nothing reached the client. Never rejects. */
  measure(report: Report | null): BilledUsage | Promise<BilledUsage>;
  /** What a running stream has used so far, by lengths; asked every second. */
  measureSoFar(report: Report): Pick<BilledUsage, "promptTokens" | "completionTokens">;
};

export type EncodeTarget = {
  channel: SnapshotChannel;
  row: UpstreamRow;
  /** The upstream's name of the model. */
  model: string;
  /** Send the body unchanged if upstream and client speak the same dialect. */
  isUntouched: boolean;
};

export type Encoded = {
  path: string;
  /** Includes the question mark; "" = no query. */
  query: string;
  /** Alternating names and values of headers to add to the channel's own. */
  headers: readonly string[];
  body: Buffer;
  /** Creates the reader of the response; called once per attempt. */
  openAnswer: () => Answer;
};
