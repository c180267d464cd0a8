import type { Citation } from "./citation";
import type { TokenLogprob } from "./event";
import type { Json } from "./json";
import type { WebSearch } from "./web-search";

/**
 * A conversation request, independent of the dialect. An undefined field was not given, so the upstream's default
 * applies. Fields that only one dialect knows are in `extensions`, under that dialect's id.
 */
export type ChatRequest = {
  model: string;
  messages: readonly Message[];
  tools?: readonly Tool[];
  toolChoice?: ToolChoice;
  /** False = at most one tool call per response. */
  parallelToolCalls?: boolean;
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stop?: readonly string[];
  seed?: number;
  /** Number of choices requested; default 1. */
  choices?: number;
  responseFormat?: ResponseFormat;
  /** How long the answer should be. */
  verbosity?: "low" | "medium" | "high";
  /** Asks how likely each token was: with so many alternatives of each. */
  logprobs?: number;
  /** A tool choice may name it as WEB_SEARCH. */
  webSearch?: WebSearch;
  thinking?: Thinking;
  /** Asks for pictures as a part of the answer. */
  drawing?: { isOnly?: true; aspectRatio?: string; imageSize?: string };
  /** The client's name for its end user. */
  user?: string;
  /** The client's name for the upstream's cache. */
  cacheKey?: string;
  isStream: boolean;
  extensions?: Readonly<Record<string, Json>>;
};

/** Consecutive messages of one role are allowed; a dialect that forbids them must merge them. */
export type Message =
  | { role: "system" | "developer"; content: readonly TextPart[] }
  | { role: "user"; content: readonly UserPart[] }
  | { role: "assistant"; content: readonly AssistantPart[] }
  | { role: "tool"; toolCallId: string; toolName?: string; content: readonly UserPart[]; isError?: boolean };

/** `cache` marks the prompt up to this part as worth caching. */
type CacheMark = { cache?: Json };

/** `citations`, `logprobs`: of what a model wrote. */
export type TextPart = {
  type: "text";
  text: string;
  citations?: readonly Citation[];
  logprobs?: readonly TokenLogprob[];
} & CacheMark;
export type ImagePart = { type: "image"; source: MediaSource; detail?: string } & CacheMark;
export type AudioPart = { type: "audio"; format: string; data: string };
export type FilePart = { type: "file"; name?: string; source: MediaSource } & CacheMark;
export type MediaSource =
  | { type: "url"; url: string }
  | { type: "base64"; mediaType: string; data: string }
  /** A plain-text document. */
  | { type: "text"; text: string }
  /** An uploaded file, known only to the upstream that received it. */
  | { type: "id"; id: string };

export type UserPart = TextPart | ImagePart | AudioPart | FilePart;

export type AssistantPart =
  | TextPart
  | { type: "refusal"; text: string }
  /** `signature` proves to the upstream that the thinking is its own. */
  | { type: "thinking"; text: string; signature?: string }
  /** Encrypted thinking that only the upstream can read. */
  | { type: "redacted-thinking"; data: string }
  /** `arguments` is JSON text as the model wrote it, possibly invalid. */
  | ({ type: "tool-call"; id: string; name: string; arguments: string } & CacheMark);

export type Tool = { name: string; description?: string; parameters?: Json; strict?: boolean } & CacheMark;

export type ToolChoice = { type: "auto" } | { type: "none" } | { type: "required" } | { type: "tool"; name: string };

export type ResponseFormat =
  | { type: "text" }
  | { type: "json" }
  | { type: "json-schema"; name: string; schema: Json; strict?: boolean; description?: string };

/** How much the model should think before it answers. */
export type Thinking =
  | { type: "off" }
  | { type: "effort"; effort: "minimal" | "low" | "medium" | "high" | "xhigh" }
  /** Limit in tokens. */
  | { type: "budget"; tokens: number };
