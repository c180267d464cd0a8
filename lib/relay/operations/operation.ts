import type { IncomingHttpHeaders } from "node:http";
import type { Sql } from "@/db/client";
import type { PromptBound } from "@/lib/billing/price";
import type { BilledUsage, Charge, PriceRow } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import type { OperationId } from "@/lib/operations";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Answer, Report } from "../answers/answer";
import type { RequestBody } from "../base/large-body";
import type { Secrets } from "../base/secrets";
import type { Owner } from "../base/upstream-objects/queries";
import type { Form } from "../http/forms/form";
import type { UpstreamRow, UrlParts } from "../providers/channel-type";
import type { PictureHolder } from "../providers/requests/inline-images";
import type { UpstreamOptions } from "../providers/requests/upstream-options";
import type { Json } from "../wire/canonical/json";
import type { ObjectReference } from "../wire/canonical/upstream-object";
import type { BoundedContent, HiddenContent } from "../wire/dialects/common/hidden-content";
import type { CallerDialect, Conversation } from "../wire/dialects/dialect";

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
  /** Fields and headers that the operator allows although an upstream may charge more for them. */
  allowedOptions: readonly string[];
  /** How many values the body has, as measureJson counted them when it arrived; absent = they were not counted. */
  values?: number | undefined;
};

/** What the stages need to know about a request. Everything else in it is known only to its operation and dialect. */
export type Intake = {
  readonly operation: OperationId;
  readonly model: string;
  readonly isStream: boolean;
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
   * An upstream that takes it works on, whoever waits: it is not asked twice at a time, not asked again where it may have
   * taken it, and answers are booked although the caller left. Absent = false.
   */
  readonly makesTask?: boolean;
  /** Encodes the request for a channel's upstream. Throws RelayError when no channel could serve it. */
  encode(target: EncodeTarget): Encoded | Promise<Encoded>;
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

/** What it takes to send a request. */
export type Sendable = Pick<Intake, "model" | "isStream" | "encode" | "makesTask"> & Partial<Pick<Intake, "need">>;

/** A request that asks another upstream for the rest of an answer that broke off. */
export type Continuation = Sendable & {
  /** How the upstream is asked that was encoded for last. */
  readonly way: "repeat" | "prefill";
  /** Notes that a channel refused what was encoded for it last. False = that was the request as it was. */
  refusedPrefill(channelId: number): boolean;
  /** What the upstream asked last has delivered by itself; null = it was not asked. */
  ownReport(): Report | null;
};

/** What a request can need at most. */
export type Need = {
  prompt: PromptBound;
  /**
   * What is counted in other units, whatever price the model has: pictures, seconds … A variant that is left out or short
   * is bound by the dearest that fits. Absent = nothing of the kind.
   */
  meters?: readonly MeterUsage[];
  /** What the body does not show of it; absent = nothing. */
  hidden?: HiddenContent;
  /** Per choice; null = the caller gave no limit. */
  completionTokensMax: number | null;
  choices: number;
  /** It asks the model to think before it answers. */
  asksToThink: boolean;
  /** Nobody follows its answer, so that all of it is reserved. */
  isBackground?: true;
  /** The answer cannot be had in part, so that all of it is reserved; absent = it can. */
  isWhole?: true;
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

/** The most tokens that an answer may have, because the reservation pays for no more. */
export type Cap = {
  perChoice: number;
  /** The model itself writes no more than this; a request without a limit of its own needs none then. */
  ofModel: number;
  /** Calls of tools that run at the upstream; absent = the request's own limit is paid for. */
  calls?: number;
};

export type EncodeTarget = {
  channel: SnapshotChannel;
  row: UpstreamRow;
  /** The upstream's name of the model. */
  model: string;
  /** Null = the reservation follows the answer. */
  cap: Cap | null;
  /** Send the body unchanged if upstream and client speak the same dialect. */
  isUntouched: boolean;
  options: UpstreamOptions;
  /** Absent = nothing is fetched for it, or not on a caller's account. */
  exchange?: PictureHolder | undefined;
};

/** Files that the upstream wants before the request. */
export type PendingUploads = {
  /** Under the channel's base URL. */
  path: string;
  /** As data URLs; see Uploads. */
  files: readonly string[];
  /** The fields of the form beside the file. */
  form: Readonly<Record<string, string>>;
  /** Null = not the answer to an upload. */
  readId(answer: Json): string | null;
  /** The request's body with the ids of the files. */
  bodyWith(ids: ReadonlyMap<string, string>): Buffer;
};

/** Work that the upstream does after it has answered: the request is over when its result is there. */
export type PendingWork = {
  /** Null = not the answer to what it was asked to do. */
  readId(json: Json): string | null;
  /** Where its state is asked for with GET, in place of the request's path. */
  path(id: string): string;
  /** An unknown state is "running". */
  stateOf(json: Json): "made" | "failed" | "running";
};

export type Encoded = {
  /** Absent = POST. */
  method?: "GET" | "DELETE" | "POST";
  /** Absent = the answer is the result. */
  pending?: PendingWork;
  path: string;
  /** Takes the place of the row's. */
  url?: ((parts: UrlParts) => string) | undefined;
  /** Includes the question mark; "" = no query. */
  query: string;
  /** The upstream is asked for a stream; absent = if the caller is. */
  isStreamed?: boolean;
  /** The upstream cannot be told how long the answer may be. */
  hasNoLimit?: boolean;
  /** Alternating names and values of headers to add to the channel's own. */
  headers: readonly string[];
  /** Not used where files are uploaded before. */
  body: RequestBody;
  /** See Sent; absent = the body holds none. */
  pictureBytes?: number;
  /** Of the body; absent = JSON, null = there is no body. */
  contentType?: string | null;
  /** What is asked for; absent = JSON or an event stream. */
  accept?: string;
  uploads?: PendingUploads;
  /** Creates the reader of the response; called once per attempt, with the secrets that it sends. */
  openAnswer: (secrets: Secrets) => Answer;
};
