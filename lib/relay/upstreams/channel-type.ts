import type { Json } from "../canonical/json";
import type { Usage } from "../canonical/usage";
import type { Edits } from "../dialects/dialect";

/** What a URL is made of. */
export type UrlParts = {
  baseUrl: string;
  /** The caller's path, for example /v1/chat/completions. */
  path: string;
  /** The caller's query with its question mark, or "". */
  query: string;
  /** The upstream's name for the model. */
  model: string;
  /** The channel's extra field: api version, account id … */
  other: string;
  isStream: boolean;
};

/** How an upstream cuts its stream into frames. */
export type Framing = "sse";

/** What the relay has to know of a channel type. */
export type UpstreamRow = {
  /** The id of the wire format that it speaks; null = it serves no conversations. */
  dialect: string | null;
  /** "" = the channel must give one. */
  baseUrl: string;
  url: (parts: UrlParts) => string;
  auth: AuthScheme;
  framing: Framing;
  quirks: Quirks;
};

/** The request that a key is shown with, for schemes that sign it. */
export type SignedRequest = { url: string; body: Buffer };

/** How an upstream wants to be shown its key: header names and values, alternating. */
export type AuthScheme = (key: string, request: SignedRequest) => string[] | Promise<string[]>;

/** What an upstream needs changed in a body of its dialect. `model` is its name for the model. */
export type RequestFix = (json: Readonly<Json>, model: string) => Edits;

/** Where and how a channel type differs from its dialect. */
export type Quirks = {
  /** Header names and values, alternating, sent with every request. */
  headers?: readonly string[];
  /** Sends usage at the end of a stream when asked to. */
  reportsStreamUsage?: true;
  fix?: RequestFix;
  /** Fetches no pictures itself. */
  inlineImages?: true;
  /** Corrects what the dialect reads from a usage object. */
  correctUsage?: (raw: Readonly<Json>, usage: Usage) => Usage;
  /** Takes the channel's organization as a header. */
  sendsOrganization?: true;
  /** 400 may be the account's fault: another channel is worth a try. */
  retriesBadRequest?: true;
  /** 403 means that the key is dead. */
  forbiddenMeansDead?: true;
};
