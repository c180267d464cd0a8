import type { Trust } from "@/lib/egress";
import type { Rules } from "@/lib/model-rules/schema";
import type { ChannelTypeFacts, OtherOperation } from "@/lib/provider-catalogue";
import type { ChannelTypeName } from "@/lib/provider-catalogue/channel-type-ids";
import type { FailureQuirks } from "../base/classify-failure";
import type { Json } from "../wire/canonical/json";
import type { Edits, RequestFacts } from "../wire/dialects/dialect";
import type { ClaudeCloud } from "./fixes/claude-clouds";
import type { Prefill } from "./fixes/prefills";
import type { UpstreamOptions } from "./requests/upstream-options";

/** What an upstream's URL is built from. */
export type UrlParts = {
  baseUrl: string;
  /** The client's path, for example /v1/chat/completions. */
  path: string;
  /** What goes on of the client's query, including the question mark; "" = nothing. */
  query: string;
  /** The upstream's name of the model. */
  model: string;
  /** The channel's extra field: API version, account id … */
  other: string;
  isStream: boolean;
  options: UpstreamOptions;
};

/** How a channel type is asked for an operation. */
export type Serving = {
  /** Id of the wire format, among those of the operation. */
  format: string;
  /** Takes the place of the row's. */
  url?: (parts: UrlParts) => string;
  fix?: RequestFix;
};

export type Served = Readonly<Partial<Record<OtherOperation, Serving>>>;

/** Everything known about a channel type: the catalogue's facts, and how its upstreams are asked. */
export type UpstreamRow = Omit<ChannelTypeFacts, "dialects" | "serves"> & {
  /** Id of its wire format, which may depend on the upstream's name of the model and its address; null = no conversations. */
  dialect: string | null | ((model: string, baseUrl: string) => string);
  /** Throws ChannelSetupError where the channel's settings do not make one. */
  url: (parts: UrlParts) => string;
  /** Parameters of the client's query that go on; absent = none. */
  parameters?: readonly string[];
  /** Takes the place of `url` where the address depends on the key: its region, its project. Throws ChannelSetupError. */
  keyedUrl?: (parts: UrlParts, key: string) => string;
  /** The address of what it keeps: files, batches, stored answers. Absent = it takes no files; stored answers are at `url`. */
  storedUrl?: (parts: UrlParts) => string;
  /** Where the upstream counts the tokens of a prompt in its dialect; absent = it does not. */
  countUrl?: (parts: UrlParts) => string;
  auth: AuthScheme;
  /** Throws ChannelSetupError for a text that cannot be a key of this type; absent = any text may be one. */
  checkKey?: (key: string) => void;
  quirks: Quirks;
  /** What it serves besides conversations. */
  serves: Served;
  /** Null = the upstream has no balance API. */
  balance: BalanceReader | null;
  /** Null = the upstream has no model list. */
  modelList: ModelList | null;
};

/** What a row has beside the facts of the catalogue, as far as it is not as at OpenAI. */
export type Behaviour = Partial<Omit<UpstreamRow, keyof ChannelTypeFacts | "dialect">> & {
  /** Chooses among the wire formats of the catalogue, where it has several. */
  dialect?: (model: string, baseUrl: string) => string;
  /** How it is asked for operations of the catalogue, where that is not as usual. */
  serving?: Readonly<Partial<Record<OtherOperation, Omit<Serving, "format">>>>;
};

export type Behaviours = Readonly<Partial<Record<ChannelTypeName, Behaviour>>>;

/** GETs a path under the upstream's base URL; rejects when the status is not 2xx. */
export type Ask = (path: string, headers: Record<string, string>) => Promise<unknown>;

/** Reads an account's balance. Throws when the response has another format. */
export type BalanceReader = {
  /** Set when it differs from the base URL for conversations. */
  baseUrl?: string;
  read: (ask: Ask, key: string, now: Date) => Promise<number>;
};

/** Reads the list of an upstream's models. */
export type ModelList = {
  /** May depend on the channel's extra field. */
  path: string | ((other: string) => string);
  /** Set when it differs from the auth scheme for conversations. */
  auth?: AuthScheme;
  /** Returns the model ids. Throws when the response has another format. */
  read: (answer: unknown) => string[];
};

/** What an auth scheme may need of the request and its channel. */
export type SignedRequest = {
  /** Before the scheme adds anything to it. */
  url: string;
  body: Buffer;
  /** Whose word the channel's address is; holds for token endpoints too. */
  trust: Trust;
  /** For token endpoints; "" = none. */
  proxy: string;
};

/** What authenticates a request. Everything in it counts as a secret. */
export type Credentials = {
  /** Alternating names and values. */
  headers: readonly string[];
  /** Alternating names and values, to be added to the URL's query. */
  query?: readonly string[];
  /** Takes the place of the request's URL. */
  url?: string;
  /** Top-level fields to be added to the JSON body, which must not have them. Not for schemes that sign the body. */
  fields?: Readonly<Record<string, unknown>>;
  /** To be called when the upstream refuses a token (401). True = another one can be had, so it is worth another try. */
  onRefused?: () => boolean;
};

/**
 * Makes credentials of a key: at once where that is possible, so that most requests wait for no promise. Throws or
 * rejects with ChannelSetupError.
 */
export type AuthScheme = (key: string, request: SignedRequest) => Credentials | Promise<Credentials>;

/** Returns the changes an upstream needs in a body of its dialect. `model` is the upstream's name of the model. */
export type RequestFix = (json: Readonly<Json>, model: string, options: UpstreamOptions) => Edits;

/** How a channel type differs from its dialect. */
export type Quirks = {
  /** Alternating header names and values for every request that does not set them itself. */
  headers?: readonly string[];
  /** The same for headers that depend on the channel's extra field or on the request. Throws ChannelSetupError. */
  headersFor?: (other: string, isStream: boolean) => readonly string[];
  /** What the site's options add to the headers of a request, to those that it has itself. */
  addHeaders?: (headers: readonly string[], model: string, options: UpstreamOptions) => readonly string[];
  /** Can send usage at the end of a stream. */
  reportsStreamUsage?: true;
  fix?: RequestFix;
  /** Can be given the beginning of an answer to go on from. */
  prefill?: Prefill;
  /** Cannot fetch images, so they must be sent inline. */
  inlineImages?: true;
  /** It serves Claude in Anthropic's format, and refuses what it does not know of that. */
  claudeCloud?: ClaudeCloud;
  /**
   * The provider serves OpenAI's Responses API too: callers of it are passed through, and `only` says which requests are
   * taken nowhere else. Another service at the channel's address has it if the channel's setting says so.
   */
  speaksResponses?: {
    /** `json`: the request in the dialect of its caller. */
    only?: (model: string, json: Readonly<Json>, facts: Pick<RequestFacts, "asksToThink">, rules: Rules) => boolean;
    /** Whether the channel's extra field says so, where the address does not. */
    isAt?: (other: string) => boolean;
  };
} & FailureQuirks;
