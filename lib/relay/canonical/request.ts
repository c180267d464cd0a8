import type { Json } from "./json";

/**
 * A conversation request between dialects. A field that is left out was not given: defaults are the upstream's.
 * What only one dialect knows stays in `extensions`, under that dialect's id.
 */
export type ChatRequest = {
  model: string;
  messages: readonly Message[];
  tools?: readonly Tool[];
  toolChoice?: ToolChoice;
  /** False = at most one tool call in an answer. */
  parallelToolCalls?: boolean;
  maxTokens?: number;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  stop?: readonly string[];
  seed?: number;
  /** Answers asked for; 1 when left out. */
  choices?: number;
  responseFormat?: ResponseFormat;
  thinking?: Thinking;
  /** The caller's name for its own user. */
  user?: string;
  isStream: boolean;
  extensions?: Readonly<Record<string, Json>>;
};

/** Consecutive messages of one role may occur; a dialect that forbids them joins them. */
export type Message =
  | { role: "system" | "developer"; content: readonly TextPart[] }
  | { role: "user"; content: readonly UserPart[] }
  | { role: "assistant"; content: readonly AssistantPart[] }
  | { role: "tool"; toolCallId: string; toolName?: string; content: readonly UserPart[]; isError?: boolean };

/** `cache`: the caller marks the prompt up to here as worth caching. */
type CacheMark = { cache?: Json };

export type TextPart = { type: "text"; text: string } & CacheMark;
export type ImagePart = { type: "image"; source: MediaSource; detail?: string } & CacheMark;
export type AudioPart = { type: "audio"; format: string; data: string };
export type FilePart = { type: "file"; name?: string; source: MediaSource } & CacheMark;
export type MediaSource =
  | { type: "url"; url: string }
  | { type: "base64"; mediaType: string; data: string }
  /** A document that is plain text. */
  | { type: "text"; text: string }
  /** An upload that only the upstream it was made at knows. */
  | { type: "id"; id: string };

export type UserPart = TextPart | ImagePart | AudioPart | FilePart;

export type AssistantPart =
  | TextPart
  | { type: "refusal"; text: string }
  /** `signature` proves to the upstream that the thinking is its own; without it the text alone is kept. */
  | { type: "thinking"; text: string; signature?: string }
  /** Thinking that only the upstream can read. */
  | { type: "redacted-thinking"; data: string }
  /** `arguments` is JSON text as the model wrote it. */
  | ({ type: "tool-call"; id: string; name: string; arguments: string } & CacheMark);

export type Tool = { name: string; description?: string; parameters?: Json; strict?: boolean } & CacheMark;

export type ToolChoice = { type: "auto" } | { type: "none" } | { type: "required" } | { type: "tool"; name: string };

export type ResponseFormat =
  | { type: "text" }
  | { type: "json" }
  | { type: "json-schema"; name: string; schema: Json; strict?: boolean; description?: string };

/** How much a model is to think before it answers. */
export type Thinking =
  | { type: "off" }
  | { type: "effort"; effort: "minimal" | "low" | "medium" | "high" | "xhigh" }
  /** Tokens. */
  | { type: "budget"; tokens: number };
