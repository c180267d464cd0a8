import type { ChatEvent } from "../canonical/event";
import type { FinishReason } from "../canonical/finish-reason";
import type { Json } from "../canonical/json";
import type { Frame, Machine } from "../canonical/machine";
import type { ChatRequest } from "../canonical/request";
import type { ChatResponse } from "../canonical/response";
import type { Usage } from "../canonical/usage";
import type { WireError } from "../canonical/wire-error";
import type { Limits } from "./limit";

/** A change of an object's own keys; `undefined` removes one. */
export type Edits = Record<string, unknown>;

/** Where a caller may have put its key. Names of headers are in lower case. */
export type KeyPlaces = { headers: Readonly<Record<string, string | string[] | undefined>>; url: string };

/** What the pipeline has to know of a conversation request. */
export type RequestFacts = {
  model: string;
  isStream: boolean;
  /** Completion tokens allowed for one choice; null = the caller set no limit. */
  completionTokensMax: number | null;
  choices: number;
  /** Tokens that pictures, sounds and files may cost, and the bytes of the body they take up. */
  attachments: { tokens: number; encodedBytes: number };
};

/** Texts to count tokens of, and tokens that stand for what is no text. */
export type Countable = { texts: string[]; extra: number };

/** What a channel's upstream needs of a request in its own dialect. */
export type UpstreamTarget = {
  /** The upstream's name for the model. */
  model: string;
  /** The upstream sends usage at the end of a stream when asked to. */
  canReportStreamUsage: boolean;
  systemPrompt: { text: string; isForced: boolean };
};

/** Reads a usage object; null = it says nothing usable. */
export type ReadUsage = (value: unknown) => Usage | null;

/** What an answer to a request of the same dialect is read with. */
export type PassThroughOptions = {
  /** Usage was asked for by us; what carries nothing else is not for the caller. */
  withholdUsage: boolean;
  /** The dialect's own `readUsage`, with what is odd about this upstream. */
  readUsage: ReadUsage;
};

/** A line of a stream: for the caller, for us, or the beginning of the stream's end. */
export type LineKind = "pass" | "withhold" | "end";

/** Reads the few lines of a stream that say more than text. One per stream. */
export type LineReader = {
  /** A line without its end. */
  read(line: string): LineKind;
  usage(): Usage | null;
  finishReason(): FinishReason | null;
};

/** How to look through answers of this dialect without parsing them. Patterns are matched against latin1 text. */
export type PassThrough = {
  /** Lines that this does not match are passed on unread. */
  notableLines: RegExp;
  lineReader(options: PassThroughOptions): LineReader;
  /** Finds a failure at the beginning of a stream whose status said success. */
  leadingError: RegExp;
  /** Finds a failure at the beginning of a whole answer whose status said success. */
  errorBody: RegExp;
  /** The key, with quotes, under which a whole answer has its usage. */
  usageKey: string;
  /** The key, with quotes, under which a whole answer has its finish reason. */
  finishReasonKey: string;
  readFinishReason(raw: string): FinishReason;
  /** What ends a whole stream for the caller. `held`: the upstream's own end, which may be empty. */
  terminal(held: string): string;
  /** Keys, with the quote that ends them, whose text is what the model wrote; for a count by length. */
  textKeys: readonly string[];
};

/** Changes answers of this dialect for a caller of the same dialect, as a channel's setting asks. One per request. */
export type Reshape = {
  whole(json: Json): Json;
  /** Whole lines of a stream, with their ends. */
  lines(text: string): string;
};

export type ReshapeSetting = { forceFormat: boolean; thinkingToContent: boolean };

/** A wire format of conversations. Pure: what it knows comes in by its arguments. */
export type Dialect = {
  id: string;
  /** What cannot be said when a request is translated from or to it. */
  limits: Limits;
  caller: CallerDialect;
  upstream: UpstreamDialect;
};

/** How callers speak it. */
export type CallerDialect = {
  /** The dialect's id. */
  dialect: string;
  /** Where its callers POST conversations to. */
  paths: readonly (string | RegExp)[];
  /** The text that the caller gives as its key; "" = none. */
  readKey(places: KeyPlaces): string;
  /** Throws InvalidRequest. `path` may carry the model or the kind of answer. */
  readFacts(json: Json, path: string): RequestFacts;
  /** The `code` of a refusal for an invalid request. */
  invalidRequestCode: string;
  /** What the word check looks at. */
  promptWords(json: Json): Iterable<string>;
  promptTexts(json: Json): Countable;
  /** Throws InvalidRequest for what is not a request of this dialect. */
  decode(json: Json, path: string): ChatRequest;
  renderError(error: WireError, status: number, requestId: string): Json;
  renderResponse(response: ChatResponse, context: RenderContext): Json;
  /**
   * Its `end(true)` gives the frames that tell the caller that the answer is whole; they leave when it is paid. There are
   * none after an error or when the answer was broken off.
   */
  streamRenderer(context: RenderContext): Machine<ChatEvent, Frame>;
  /** What tells the caller that a stream was broken off. */
  renderCut(error: WireError, requestId: string): readonly Frame[];
};

export type RenderContext = {
  requestId: string;
  /** The caller's name for the model. */
  model: string;
  /** The caller asked for usage in the stream. */
  wantsUsage: boolean;
  /** Unix seconds. */
  createdAt: number;
};

/** How upstreams speak it. */
export type UpstreamDialect = {
  /** Where its own API takes conversations, for upstreams whose address does not say otherwise. */
  path: string;
  /** The caller's headers that go to an upstream of the same dialect. Lower case. */
  forwardedHeaders: readonly string[];
  /** Changes that a request of this dialect needs for this upstream, whether a caller or `encode` wrote it. */
  passEdits(json: Json, facts: RequestFacts, target: UpstreamTarget): Edits;
  /** Whether the caller asked for usage in the stream itself. */
  asksForUsage(json: Json): boolean;
  /** Throws InvalidRequest for what this dialect cannot say. `passEdits` come after it. */
  encode(request: ChatRequest, target: UpstreamTarget): Json;
  /** Null = this is no answer. Usage is read with the dialect's own `readUsage` unless another is given. */
  decode(json: Json, readUsage?: ReadUsage): ChatResponse | null;
  streamDecoder(readUsage?: ReadUsage): Machine<Frame, ChatEvent>;
  readUsage: ReadUsage;
  passThrough: PassThrough;
  /** Null = nothing is to be changed. */
  createReshape?(setting: ReshapeSetting): Reshape | null;
  /** Texts that a model wrote, of a whole answer and of the data of one frame. */
  answerTexts(json: Json): Countable;
  frameTexts(json: Json): Countable;
  /** Addresses of pictures that somebody would have to fetch. */
  imageUrls(json: Json): readonly string[];
  /** The request with pictures put in place of their addresses, as data URLs. */
  withImages(json: Json, dataUrls: ReadonlyMap<string, string>): Json;
};
