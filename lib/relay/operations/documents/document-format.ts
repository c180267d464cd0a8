import type { MeterUsage } from "@/lib/meters";
import type { Json } from "../../wire/canonical/json";
import type { Usage } from "../../wire/canonical/usage";
import type { ClientDialect, Edits, WholeBody } from "../../wire/dialects/dialect";
import type { Call } from "../operation";
import type { JsonTest } from "../operation-test";

/** What all requests have in common that are answered with one document. */
export type DocumentRequest = { readonly model: string };

/** How an upstream is asked in a wire format. Pure. */
export type UpstreamDocument<Request, Result> = WholeBody & {
  path: string | ((model: string) => string);
  /** Throws InvalidRequest for what the format has no words for. `model`: the upstream's name. */
  encode(request: Request, model: string): Json;
  /** Null = not an answer to this request. */
  decode(json: Json, request: Request): Result | null;
  /** The usage in an answer; null = it reports none. */
  readUsage(json: Json): Usage | null;
  /** What it reports beside tokens; null = nothing. Absent = never. */
  readMeters?(json: Json): readonly MeterUsage[] | null;
};

/** How callers ask in a wire format, and how upstreams of the same one are passed their requests. Pure. */
export type CallerDocument<Request, Result> = {
  /** Id of the wire format. */
  format: string;
  /** Where callers POST their requests. */
  paths: readonly (string | RegExp)[];
  /** How the key is sent, and what errors look like. */
  clientDialect: ClientDialect;
  /** Throws InvalidRequest. */
  read(json: Json, call: Pick<Call, "path">): Request;
  /** What puts this name of the model into the body; {} = it is there. */
  rename(json: Json, model: string): Edits;
  /** The path for upstreams of the same format. */
  path(call: Pick<Call, "path">): string;
  /**
   * How an answer of the same format is told without parsing it, so that its bytes stay as they are: JSON keys, with quotes.
   * Null = every answer is written anew.
   */
  scan: { answerKey: string; usageKey: string } | null;
  /** Changes an answer of the same format that this caller could not read; absent = never. */
  adapt?(body: Buffer, request: Request): Buffer;
  render(result: Result, request: Request, context: DocumentContext): Json;
};

export type DocumentContext = {
  requestId: string;
  /** Null = the upstream reported none. */
  usage: Usage | null;
};

/** Texts that are counted, each as many times as the upstream reads it. */
export type Reading = { texts: readonly string[]; times: number };

/** A kind of request that is answered with one document. */
export type DocumentKind<Request extends DocumentRequest, Result> = {
  operation: "embeddings" | "rerank" | "moderations";
  /** By id. */
  formats: ReadonlyMap<string, UpstreamDocument<Request, Result>>;
  /** What the prompt consists of, and its tokens that are no text of it. */
  readings(request: Request): { readings: readonly Reading[]; tokens: number };
  /** What is counted beside tokens, if a text has as many of them as `tokensOf` says; absent = nothing. */
  meters?(request: Request, tokensOf: (text: string) => number): readonly MeterUsage[];
  /** About how many bytes the answer has; absent = few. */
  answerBytes?(request: Request): number;
  /** The texts that the sensitive word check reads. */
  words(request: Request): Iterable<string>;
  test: JsonTest;
};
