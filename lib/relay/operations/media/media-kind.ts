import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { OtherOperation } from "@/lib/provider-catalogue";
import type { MediaFacts, ReadFacts } from "../../answers/media/media-facts";
import type { RequestBody } from "../../base/large-body";
import type { Form } from "../../http/forms/form";
import type { Json } from "../../wire/canonical/json";
import type { OptionRule } from "../../wire/dialects/common/option-rule";
import type { ClientDialect } from "../../wire/dialects/dialect";
import type { Call, Need, OperationTest, PendingWork } from "../operation";

/** What all requests for pictures and sound have in common. */
export type MediaRequest = { readonly model: string; readonly isStream: boolean };

/** A body as the caller sent it. */
export type MediaSource = { json: Json; bytes: Buffer } | { form: Form };

export type EncodedMedia = {
  path: string;
  body: RequestBody;
  contentType?: string;
  accept?: string;
  /** Alternating names and values. */
  headers?: readonly string[];
};

/** What a caller gets of an upstream's whole answer. */
export type DecodedMedia = { body: Buffer; contentType: string };

/** An upstream with a format of its own, that answers with one document. */
export type UpstreamMedia<Request> = {
  /** Throws InvalidRequest for what the format has no words for. `model`: the upstream's name. */
  encode(request: Request, model: string): EncodedMedia | Promise<EncodedMedia>;
  /** Null = not an answer. */
  decode(json: Json, request: Request, facts: MediaFacts): DecodedMedia | null;
  hasFailed(json: Json): boolean;
  /** Why a filter of the provider's withheld all of it; null = none did. Asked before `hasFailed`. */
  withheld?(json: Json): string | null;
  /** What the model said in words instead; null = nothing. Asked before `hasFailed`. */
  saidInstead?(json: Json): string | null;
  /** The upstream is asked for the result of what it was asked to do; absent = it answers at once. */
  pending?: PendingWork;
};

export type MediaTest = Omit<OperationTest, "read"> & { json: object };

/** A kind of request that is answered with pictures, with sound or with what was said. */
export type MediaKind<Request extends MediaRequest> = {
  operation: OtherOperation;
  clientDialect: ClientDialect;
  /** What options cost; absent = none costs more than the price says. */
  options?: readonly OptionRule[];
  paths: readonly string[];
  /** Upstream formats besides the caller's own, by id. */
  formats: ReadonlyMap<string, UpstreamMedia<Request>>;
  /** Throws InvalidRequest. Also tells the texts to send in place of the caller's, such as a model that it left out. */
  read(source: MediaSource, call: Pick<Call, "path">): Request | Promise<Request>;
  rename(request: Request, model: string): Request;
  words(request: Request): Iterable<string>;
  need(request: Request): Need;
  expects(request: Request): { what: "document" | "sound" | "text"; contentType: string };
  readFacts: ReadFacts;
  hasAnswer(json: Json): boolean;
  beginning: RegExp | null;
  /** What a channel test asks for; absent = it does not. */
  test?: MediaTest;
  /** What a running stream has delivered so far, beside tokens; absent = nothing of the kind. */
  metersSoFar?(request: Request, facts: MediaFacts): readonly MeterUsage[];
  /** `facts`: null = nothing reached the client. */
  measure(request: Request, facts: MediaFacts | null): BilledUsage | Promise<BilledUsage>;
};
