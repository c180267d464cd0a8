import type { Rules } from "../../../model-rules/schema";
import type { ChatEvent, FinishReason } from "../canonical/event";
import type { Json } from "../canonical/json";
import type { Frame, Machine } from "../canonical/machine";
import type { ChatRequest } from "../canonical/request";
import type { ChatResponse } from "../canonical/response";
import type { ObjectName, ObjectReference } from "../canonical/upstream-object";
import type { Usage } from "../canonical/usage";
import type { ErrorTerms, WireError } from "../canonical/wire-error";
import type { Extra } from "./common/extras";
import type { HiddenContent } from "./common/hidden-content";
import type { KnownNames } from "./common/known-names";
import type { Limits } from "./common/limit";
import type { ByModel } from "./common/model-setting";
import type { OptionRule } from "./common/option-rule";

/** Changes to an object's top-level keys; `undefined` removes a key. */
export type Edits = Record<string, unknown>;

/** Where a client may send its key. Header names are in lower case. */
export type KeyPlaces = { headers: Readonly<Record<string, string | string[] | undefined>>; url: string };

/** What the pipeline needs to know about a conversation request. */
export type RequestFacts = {
  model: string;
  isStream: boolean;
  /** Maximum completion tokens per choice; null = no limit given. */
  completionTokensMax: number | null;
  choices: number;
  attachments: Attachments;
  /** Absent = the body shows all that the upstream reads. */
  hidden?: HiddenContent | undefined;
  /** The answer may be sound. */
  writesAudio: boolean;
  /** It asks the model to think before it answers. */
  asksToThink: boolean;
  /** The upstream is to work on it by itself, and keeps the answer until it is fetched. */
  isBackground?: true;
};

/** What a request says of its conversation. */
export type Conversation = {
  /** The client's name for the upstream's cache; "" = none. */
  cacheKey: string;
  /** Whom the client asks for; "" = it does not say. */
  user: string;
  /** What all turns begin with. */
  opening: () => Opening;
};

/** Texts of the instructions, and of the first message by a person. */
export type Opening = { instructions: readonly string[]; question: readonly string[] };

/** What images, sounds and files in a prompt can cost at most. */
export type Attachments = {
  /** Tokens of images and files. */
  tokens: number;
  audioTokens: number;
  /** The bytes that all of them take in the body. */
  encodedBytes: number;
  /** Those of them that are pictures, whose tokens do not follow from their bytes. */
  pictureBytes: number;
  /** A document or a video, or a file that the upstream fetches: its bytes say little of its tokens. */
  hasUnknownSize: boolean;
  /** A file that was uploaded before, so that it has to be looked up what it holds. */
  hasStoredFiles: boolean;
  /** Texts of the model's have pictures in them, which go to upstreams as pictures. */
  hasDrawn?: true;
  /** Such a part can be sound. */
  maySound: boolean;
};

/** Texts whose tokens are counted, plus extra tokens for parts that are not text. */
export type Countable = { texts: string[]; extra: number };

/** What a request to a channel's upstream depends on. */
export type UpstreamTarget = {
  /** The upstream's name of the model. */
  model: string;
  /** The upstream can send usage at the end of a stream. */
  canReportStreamUsage: boolean;
  systemPrompt: { text: string; isForced: boolean };
  /** What is known of the model at this provider; absent = what is known of it anywhere. */
  rules?: Rules;
  /** The channel's extra field: a version, the id of a bot or of a knowledge base. */
  other?: string;
  /** The limit of an answer where the dialect requires one and the client gave none; absent = the dialect's own. */
  maxTokens?: ByModel<number>;
  /** Google's thresholds by category, `default` for the usual ones that are not named; absent = none are sent. */
  safety?: Readonly<Record<string, string>>;
};

/** Reads a usage object; null = no usable counts. */
export type ReadUsage = (value: unknown) => Usage | null;

/** Options for scanning a response of the same dialect. */
export type PassThroughOptions = {
  /** The client did not ask for usage in the stream, the gateway did: remove frames that contain nothing else. */
  withholdUsage: boolean;
  /** The dialect's `readUsage`, adapted to the quirks of this upstream. */
  readUsage: ReadUsage;
};

/**
 * What an event of a stream is. "content" begins or goes on with the answer; "empty" is a start, a ping or a role without
 * anything the model wrote; "withhold" is not for the client; "bad" cannot be read; "error" reports a failure; "end"
 * begins the stream's end.
 */
export type FrameKind = "content" | "empty" | "withhold" | "bad" | "error" | "end";

/** Reads the notable events of a stream. One per stream. */
export type FrameReader = {
  read(frame: Frame): FrameKind;
  usage(): Usage | null;
  finishReason(): FinishReason | null;
  /** The whole answer, where the event that ends a stream repeats it; null = it has not arrived. */
  answer?(): Json | null;
  /** The data of the event just read with its finish reason put right; null = it goes on as it came. Absent = always. */
  mended?(): string | null;
};

/** How to tell what a complete body with a success status is. */
export type WholeBody = {
  hasAnswer(json: Json): boolean;
  /** Whether it reports a failure despite its status. */
  hasFailed(json: Json): boolean;
};

/** How to scan responses of this dialect without parsing them. Patterns are matched against latin1 text. */
export type PassThrough = WholeBody & {
  /** Events whose text does not match are forwarded without being parsed, if they have the usual key. */
  notableText: RegExp;
  /** JSON key of every usual event, with quotes. */
  frameKey: string;
  frameReader(options: PassThroughOptions): FrameReader;
  /** Every event reports the usage so far, without being notable for it. */
  hasRunningUsage?: true;
  /** JSON key of the list that is the answer in a complete body, with quotes. */
  answerKey: string;
  /** Top-level JSON key of the usage in a complete body, with quotes. */
  usageKey: string;
  /** JSON key of the finish reason in a complete body, with quotes. */
  finishReasonKey: string;
  readFinishReason(raw: string): FinishReason;
  /**
   * Puts the finish reason of a complete body right where its calls say another one; false = there was nothing to do.
   * `mark`: what a body with calls has in it. `words`: the reasons that stay whatever there is. Absent = the dialect has no word for such an end.
   */
  byCalls?: { mark: RegExp; words: ReadonlySet<string>; mend(body: Json): boolean };
  /** The end of a complete stream for the client. `held`: the upstream's own ending, possibly empty. */
  terminal(held: string): string;
  /** JSON keys whose values are the model's text, each with its closing quote; for estimates by length. */
  textKeys: readonly string[];
  /** The same for a complete body, where a stream names its text otherwise. */
  bodyTextKeys?: readonly string[];
  /** The key of the name that a call of a tool has; looked for where the request has tools. */
  callKey?: string;
  /**
   * The end of a stream that the gateway stops: the choices finish for their length. `first` and `last`: the first
   * frames that were sent and the last ones.
   */
  cutShort(first: string, last: string): string;
  /** What the upstream keeps of a whole answer; absent = nothing. */
  keptObjects?(answer: Json): readonly ObjectName[];
};

/** Rewrites responses of this dialect for a client of the same dialect, as the channel's setting asks. One per request. */
export type Reshape = {
  whole(json: Json): Json;
  /** `text`: complete lines of a stream, with line endings. */
  lines(text: string): string;
};

export type ReshapeSetting = { forceFormat: boolean; thinkingToContent: boolean };

/** A wire format for conversations. Pure: depends only on its arguments. */
export type Dialect = {
  id: string;
  /** What cannot be translated to or from this dialect. */
  limits: Limits;
  client: ClientDialect;
  upstream: UpstreamDialect;
};

/** The client's side of the dialect. */
export type ClientDialect = {
  /** The dialect's id. */
  dialect: string;
  /** Paths where clients POST conversations. */
  paths: readonly (string | RegExp)[];
  /** Where the path names the model: the path with another one. Throws InvalidRequest. */
  pathWithModel?(path: string, model: string): string;
  /** The client's key as sent; "" = none. */
  readKey(places: KeyPlaces): string;
  /** Throws InvalidRequest. `path` may contain the model or whether to stream. */
  readFacts(json: Json, path: string): RequestFacts;
  /** The names that are read; one that differs from them only in its case is refused. */
  names: KnownNames;
  /** What options of a request cost, and which are therefore refused or dropped. */
  options: readonly OptionRule[];
  /** The field that names other models to ask when none of the model's channels answers; it is not sent on. */
  fallbacksField?: string;
  /** The header in which its clients look for the request's id. */
  requestIdHeader: string;
  /** Error `code` for an invalid request. */
  invalidRequestCode: string;
  /** The texts that the sensitive word check reads. */
  promptWords(json: Json): Iterable<string>;
  promptTexts(json: Json): Countable;
  readConversation(json: Json): Conversation;
  /** What the request builds on that only the upstream has which made it. Absent = this dialect has no such thing. */
  references?(json: Json): readonly ObjectReference[];
  /** Whether the upstream is to keep the answer. Absent = never. */
  asksToStore?(json: Json): boolean;
  /** Throws InvalidRequest for anything that is not a request of this dialect. */
  decode(json: Json, path: string): ChatRequest;
  /** `terms`: absent for an error within a stream. */
  renderError(error: WireError, status: number, requestId: string, terms?: ErrorTerms): Json;
  /** The HTTP status that this API has for one that only others know. Absent = all are known. */
  statusFor?(status: number): number;
  renderResponse(response: ChatResponse, context: RenderContext): Json;
  /**
   * `end(true)` returns the frames that complete the stream; they are sent after the settlement. It returns none after
   * an error, and `end(false)` returns none.
   */
  streamRenderer(context: RenderContext): Machine<ChatEvent, Frame>;
  /** What a stream may contain anywhere between two events, for a client that waits. */
  keepAlive: string;
  /** The frames that tell the client that the stream was cut off. `status`: what the error stands for; absent = not known. */
  renderCut(error: WireError, requestId: string, status?: number, sent?: SentSoFar): readonly Frame[];
  /** The same as text, where clients do not look for errors in events. */
  writeCut?(error: WireError, requestId: string, status?: number): string;
  /** The id of the answer in the first bytes of a stream, as latin1, where an error in mid-stream names it; "" = none. */
  answerIdIn?(first: string): string;
  /** Whether the events of a stream are sent as the items of a JSON array. */
  isArrayStream?(url: string): boolean;
  /** Whether the stream that this request asks for can be continued by another upstream when it breaks off. */
  isContinuable(json: Json): boolean;
  /**
   * Reads what the client has of a stream that broke off. Null = no other upstream can go on with it: more than plain
   * text has been said, or all of it. docs/failover.md has the rules.
   */
  resumeStream(frames: readonly Frame[], context: RenderContext): ResumedStream | null;
};

/** `last`: the bytes that were written last, as latin1. */
export type SentSoFar = { answerId: string; last: string };

/** A stream that broke off, as its client has it. */
export type ResumedStream = {
  text: string;
  /** The thoughts that were passed on before the text. */
  thoughts: string;
  /** Goes on where the stream broke off: under the same id, without a second start. */
  renderer: Machine<ChatEvent, Frame>;
};

export type RenderContext = {
  requestId: string;
  /** The client's name of the model. */
  model: string;
  /** The client asked for usage in the stream. */
  wantsUsage: boolean;
  /** Unix seconds. */
  createdAt: number;
  /** The same, as it is when it is asked; absent = as it was then. */
  now?: () => number;
  /** The client's request, for dialects whose answers repeat its settings. */
  request?: Readonly<Json>;
  /** The id that the client has of this answer already; undefined = none yet. */
  answerId?: string;
  /** The models that wrote the answer, in order, where there are several: its end names them. */
  writers?: readonly string[];
};

/**
 * How the bytes of a stream are divided into frames: server-sent events, a JSON object a line, or AWS's event stream,
 * where the header `:event-type` is the frame's event and the payload its data. With "sse-fields" the data of an event is
 * plain text, and other fields count too: the frame's data is an object of `id`, `data` and `meta`.
 */
export type Framing = "sse" | "sse-fields" | "ndjson" | "aws-event-stream";

/**
 * How an upstream gets the files of a request: each by itself before it, and the request names their ids. Until then a data
 * URL stands in place of each id; its parameter `name`, if there is one, is the file's name.
 */
export type Uploads = {
  /** Under the channel's base URL. */
  path: string;
  /** The data URLs in a request of this format. */
  pending(json: Json): readonly string[];
  /** The fields of the form beside the file. */
  form(json: Json): Readonly<Record<string, string>>;
  /** Null = this is not what the upstream answers when it has the file. */
  readId(answer: Json): string | null;
  /** The request with an id in place of each data URL. */
  withIds(json: Json, ids: ReadonlyMap<string, string>): Json;
};

/** What it takes to translate for an upstream: everything about a wire format that no client speaks. */
export type UpstreamFormat = {
  /** Path for conversations, for upstreams whose base URL does not include one. */
  path: string | ((model: string, isStream: boolean) => string);
  /** Default: server-sent events. */
  framing?: Framing;
  /** The upstream streams whatever it is asked: a complete answer is put together from its stream. */
  alwaysStreams?: true;
  /** Absent = files are part of the request. */
  uploads?: Uploads;
  /** An answer cannot be limited: a complete one is streamed as well, so that one that nobody pays for is stopped. */
  hasNoLimit?: true;
  /** Headers that depend on the request, as alternating names and values. */
  headers?(isStream: boolean): readonly string[];
  /** The completion limit per choice of a request of this dialect; null = none. */
  readCompletionMax(json: Json): number | null;
  /** Lowers the completion limit per choice, or sets one. */
  capEdits(json: Json, tokens: number, rules: Rules): Edits;
  /** Lowers the number of calls of tools that run at the upstream, or sets it. Absent = no field says it. */
  callEdits?(json: Json, calls: number): Edits;
  /**
   * Changes for this upstream to a request of this dialect, whether a client or `encode` produced it. Without it, the
   * channel's system prompt is put into the canonical request before `encode`.
   */
  passEdits?(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits;
  /** Messages of the model may have pictures; absent = only those of users. */
  takesModelPictures?: true;
  /** It can be asked for these; a request for another one is refused. */
  canBeAsked?: readonly Extra[];
  /** Throws InvalidRequest for what this dialect cannot express. `passEdits` must be applied afterwards. */
  encode(request: ChatRequest, target: UpstreamTarget): Json;
  wholeBody: WholeBody;
  /** Null = not a response. `readUsage` defaults to the dialect's own. */
  decode(json: Json, readUsage?: ReadUsage): ChatResponse | null;
  streamDecoder(readUsage?: ReadUsage): Machine<Frame, ChatEvent>;
  readUsage: ReadUsage;
};

/** A wire format that only upstreams speak. */
export type UpstreamOnly = { id: string; limits: Pick<Limits, "upstream">; upstream: UpstreamFormat };

/** The upstream's side of a dialect that clients speak too. */
export type UpstreamDialect = UpstreamFormat & {
  /** Client headers forwarded to an upstream of the same dialect, in lower case. */
  forwardedHeaders: readonly string[];
  passEdits(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits;
  /** Whether the client itself asked for usage in the stream. */
  asksForUsage(json: Json): boolean;
  passThrough: PassThrough;
  /** Null = nothing to change. */
  createReshape?(setting: ReshapeSetting): Reshape | null;
  /** The model's texts: of a complete response, and below of one frame's data. */
  answerTexts(json: Json): Countable;
  frameTexts(json: Json): Countable;
  /** URLs of images that would have to be fetched. */
  imageUrls(json: Json): readonly string[];
  /** The request with image URLs replaced by data URLs. */
  withImages(json: Json, dataUrls: ReadonlyMap<string, string>): Json;
};
