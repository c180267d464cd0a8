import type { IncomingHttpHeaders } from "node:http";
import type { Sql } from "@/db/client";
import type { BilledUsage, Charge, PriceRow } from "@/lib/billing/types";
import type { OperationId } from "@/lib/operations";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Report } from "../answers/answer";
import { RelayError } from "../base/relay-error";
import type { Owner } from "../base/upstream-objects/queries";
import type { Form } from "../http/forms/form";
import type { Need, Sendable } from "../providers/requests/sendable";
import type { UpstreamOptions } from "../providers/requests/upstream-options";
import type { Json } from "../wire/canonical/json";
import type { ObjectReference } from "../wire/canonical/upstream-object";
import { InvalidRequest } from "../wire/canonical/wire-error";
import type { BoundedContent } from "../wire/dialects/common/hidden-content";
import type { ClientDialect, Conversation } from "../wire/dialects/dialect";

export type {
  Cap,
  Encoded,
  EncodeTarget,
  Need,
  PendingWork,
  Sendable,
} from "../providers/requests/sendable";
export type { OperationId };

/** A kind of request: conversations, embeddings, images … */
export type Operation = {
  id: OperationId;
  endpoints: readonly OperationEndpoint[];
  /** Throws RelayError with 400 for an invalid request. */
  read(body: Buffer, call: Call): Intake;
  /** The same for a multipart body; absent = bodies are JSON. The form is open until the request is handled. */
  readForm?(form: Form, call: Call): Intake | Promise<Intake>;
  /** The charge in whole quota, with its line items. Pure. */
  charge(usage: BilledUsage, price: PriceRow): Charge;
  /** How a channel test asks for it; absent = no test does. */
  test?: OperationTest;
};

/** The smallest request that tells whether a channel serves an operation. */
export type OperationTest = {
  /** One of the operation's paths. */
  path: string;
  /** Names of models that are for nothing else; null = no name tells. */
  models: RegExp | null;
  read(model: string, call: Call): Intake | Promise<Intake>;
  /** Whether an answer, as a client would get it, has what was asked for. */
  isAnswer(whole: Buffer): boolean;
  /** It costs too much to be asked by a schedule. */
  isCostly?: boolean;
};

export type OperationEndpoint = { method: string; path: string | RegExp; clientDialect: ClientDialect };

/** The context of a request. */
export type Call = {
  operation: Operation;
  clientDialect: ClientDialect;
  requestId: string;
  path: string;
  /** Includes the question mark; "" = no query. Never contains the client's key. */
  query: string;
  headers: IncomingHttpHeaders;
  /** Fields and headers that the operator allows although an upstream may charge more for them. */
  allowedOptions: readonly string[];
  /** How many values the body has, as measureJson counted them when it arrived; absent = they were not counted. */
  values?: number | undefined;
};

/** What the stages need to know about a request. Everything else in it is known only to its operation and dialect. */
export type Intake = Sendable & {
  readonly operation: OperationId;
  /** Models that the caller names to be asked when none of this one's channels answers. */
  readonly fallbacks: readonly string[];
  /** The same request to another model. Throws RelayError when that is not possible. */
  withModel(model: string): Intake;
  /** The texts that the sensitive word check reads. */
  words(): Iterable<string>;
  readonly need: Need;
  /** The same by counting its texts, which takes a while: asked only if the balance is too small for `need`. Absent = never counted. */
  countedNeed?(): Promise<Need>;
  /** The fields of its body as the caller sent them, for traces; absent = none that they know. */
  readonly json?: Readonly<Json>;
  /** About how many bytes of its answer are held at once; absent = few. */
  readonly answerBytes?: number;
  /** What the request says of its conversation, and the bytes of its text; null = it belongs to none. */
  conversation(): { conversation: Conversation; promptBytes: number } | null;
  /** Whether its stream can be continued by another upstream when it breaks off; absent = never. */
  readonly isContinuable?: boolean;
  /**
   * A request for the rest of its stream. Null = no upstream can go on with it. `delivered`: what the client has. `writers`:
   * the models that will have written the answer, where this is not the only one.
   */
  continuation?(delivered: Buffer, writers?: readonly string[]): Continuation | null;
  /** What it builds on that only the upstream has which made it; absent = nothing. */
  readonly references?: readonly ObjectReference[];
  /** Whether a channel can be asked at all; absent = every one that serves the operation. */
  readonly fits?: ((channel: SnapshotChannel) => boolean) | undefined;
  /** The field that names a file of an upstream's own storage, which few channels read for callers; null or absent = none does. */
  readonly storedAddress?: string | null;
  /** The upstream is to keep the answer; absent = it is not. */
  readonly asksToStore?: boolean;
  /** Whether only one account can serve it, which `bind` or `references` tells; absent = as the references say. */
  readonly isBound?: boolean;
  /** Looks up the account that has to serve it. Rejects with RelayError. Present where `isBound` is true. */
  bind?(sql: Sql, owner: Owner, options: UpstreamOptions): Promise<BoundIntake>;
  /**
   * Usage as reported, or else counted here. `report`: null = nothing reached the client. `sent`: null = nothing is known
   * of what was sent, so that every report is believed. Never rejects.
   */
  measure(report: Report | null, sent: Sent | null): BilledUsage | Promise<BilledUsage>;
  /** What a running stream has used so far, by lengths; asked every second. */
  measureSoFar(report: Report): Pick<BilledUsage, "promptTokens" | "completionTokens" | "meters">;
};

/** `keyHash`: "" = not known. */
export type BoundIntake = { intake: Intake; channelId: number; keyHash: string };

/** A request that asks another upstream for the rest of an answer that broke off. */
export type Continuation = Sendable & {
  /** How the upstream is asked that was encoded for last. */
  readonly way: "repeat" | "prefill";
  /** Notes that a channel refused what was encoded for it last. False = that was the request as it was. */
  refusedPrefill(channelId: number): boolean;
  /** What the upstream asked last has delivered by itself; null = it was not asked. */
  ownReport(): Report | null;
};

/** What an upstream was asked, for judging what it reports. */
export type Sent = {
  bodyBytes: number;
  /** Those of the body that are pictures, whose tokens do not follow from them. */
  pictureBytes: number;
  /** Tokens of the whole answer that need not show in its text: thinking, sound. */
  unseenTokensMax: number;
  /** What the body does not show; null = nothing. */
  hidden: BoundedContent | null;
  /** The longest answer. */
  completionTokensMax: number;
  /** The end of the answer arrived; false = what was reported before may not include all that was delivered. */
  isAnswered: boolean;
  /** The caller left, and the upstream was aborted: what it had begun counts as done. */
  hasLeft?: boolean;
};

/** Turns a dialect's InvalidRequest into a 400 for the client. Returns other errors unchanged, because they are bugs. */
export function refused(error: unknown, { clientDialect }: Pick<Call, "clientDialect">): unknown {
  if (!(error instanceof InvalidRequest)) return error;
  const code = error.code ?? clientDialect.invalidRequestCode;
  return new RelayError("invalid_request", error.message, { param: error.param, code });
}
