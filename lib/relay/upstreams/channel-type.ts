import type { Json } from "../canonical/json";
import type { Usage } from "../canonical/usage";
import type { Edits } from "../dialects/dialect";
import type { EditorFields } from "./editor-fields";

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

/** A hue of the console's badges. */
export type Hue =
  | "blue"
  | "green"
  | "grey"
  | "indigo"
  | "light-blue"
  | "orange"
  | "pink"
  | "purple"
  | "teal"
  | "violet";

/** All that is known of a channel type. */
export type UpstreamRow = {
  id: number;
  name: Readonly<Record<"en" | "zh", string>>;
  hue: Hue;
  /** Its place in the console's select, lowest first; null = old channels only, not offered for new ones. */
  position: number | null;
  /** The id of the wire format that it speaks; null = it serves no conversations. */
  dialect: string | null;
  /** "" = the channel must give one. */
  baseUrl: string;
  url: (parts: UrlParts) => string;
  auth: AuthScheme;
  framing: Framing;
  quirks: Quirks;
  /** Takes embeddings in OpenAI's shape. */
  takesEmbeddings: boolean;
  /** Which of the priced models a new channel starts with; null = none. */
  models: RegExp | null;
  /** What a test of a channel sends; null = there is nothing that could be sent. */
  test: "chat" | "embeddings" | null;
  /** Null = the upstream does not tell what is left. */
  balance: BalanceReader | null;
  /** Null = the upstream does not tell which models it has. */
  modelList: ModelList | null;
  editor: EditorFields;
};

/** Asks the upstream for a path under its base URL; rejects when it does not answer 2xx. */
export type Ask = (path: string, headers: Record<string, string>) => Promise<unknown>;

/** How an upstream tells what is left of the account. Throws for an answer of another shape. */
export type BalanceReader = {
  /** Where it differs from where conversations go. */
  baseUrl?: string;
  read: (ask: Ask, key: string, now: Date) => Promise<number>;
};

/** How an upstream tells which models it has. */
export type ModelList = {
  path: string;
  /** Where the key is shown in another way than with conversations. */
  auth?: AuthScheme;
  /** Ids of the models. Throws for an answer of another shape. */
  read: (answer: unknown) => string[];
};

/** The request that a key is shown with, for schemes that sign it. */
export type SignedRequest = { url: string; body: Buffer };

/** How an upstream wants to be shown its key: header names and values, alternating. */
export type AuthScheme = (key: string, request: SignedRequest) => string[] | Promise<string[]>;

/** What an upstream needs changed in a body of its dialect. `model` is its name for the model. */
export type RequestFix = (json: Readonly<Json>, model: string) => Edits;

/** Where and how a channel type differs from its dialect. */
export type Quirks = {
  /** Header names and values, alternating, sent with every request that does not bring its own. */
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
} & FailureQuirks;

/** How failures of an upstream are read differently. */
export type FailureQuirks = {
  /** 400 may be the account's fault: another channel is worth a try. */
  retriesBadRequest?: true;
  /** 403 means that the key is dead. */
  forbiddenMeansDead?: true;
};
