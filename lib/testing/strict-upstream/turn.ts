/** What a request asks for, whatever its format. */
export type Asked = {
  format: FormatId;
  model: string;
  isStream: boolean;
  isThinking: boolean;
  system: string;
  /** The text of the last message of the user. */
  prompt: string;
  tools: readonly { name: string; schema: object }[];
  /** Null = the model may choose; "" = it must not call. */
  forced: string | null;
  /** Of JSON output; null = text is asked for. */
  schema: object | null;
  /** All results of calls, oldest first. */
  results: readonly string[];
  images: number;
};

export type FormatId = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini-generate-content";

/** What the model answers. */
export type Turn = {
  thought?: string;
  text?: string;
  calls?: readonly { name: string; input: object }[];
  /** Fails with this status instead. */
  status?: number;
  /** Says the text over and over until the connection is closed. */
  isEndless?: true;
};

/** A wire format as its provider publishes it. */
export type Format = {
  id: FormatId;
  path: RegExp;
  /** Returns the fault of a request as text. */
  read: (json: unknown, url: string) => Asked | string;
  renderWhole: (turn: Turn, asked: Asked) => object;
  /** Every event of the stream, in order; those of an endless text begin with its first. */
  renderStream: (turn: Turn, asked: Asked) => StreamText;
  renderError: (status: number, message: string) => object;
};

/** `again`: the events that an endless stream repeats. */
export type StreamText = { events: string[]; again: string };

export const PROMPT_TOKENS = 12;
export const COMPLETION_TOKENS = 25;
export const SENTENCE = "The river runs through the weir, evenly and without a sound – größe 水.";
export const THOUGHT = "I look at what there is, and answer.";

/**
 * Answers what was asked: calls each tool once, or the one that is forced, until it has results; JSON where a schema is
 * given; the number of pictures where there are some. `-error-<status>` in the model's name fails, `-endless` never ends.
 */
export function answerAsAsked(asked: Asked): Turn {
  const status = /-error-(\d{3})/.exec(asked.model)?.[1];
  if (status !== undefined) return { status: Number(status) };
  const thought = asked.isThinking ? { thought: THOUGHT } : {};
  const calls = asked.results.length > 0 || asked.forced === "" ? [] : callsOf(asked);
  if (calls.length > 0) return { ...thought, calls };
  if (asked.schema) return { ...thought, text: JSON.stringify(sampleOf(asked.schema)) };
  if (asked.results.length > 0) return { ...thought, text: `Found: ${asked.results.join(", ")}` };
  if (asked.images > 0) return { ...thought, text: `${asked.images} pictures` };
  return { ...thought, text: SENTENCE, ...(asked.model.includes("-endless") ? { isEndless: true } : {}) };
}

function callsOf({ tools, forced }: Asked): { name: string; input: object }[] {
  const chosen = forced === null ? tools : tools.filter(({ name }) => name === forced);
  return chosen.map(({ name, schema }) => ({ name, input: sampleOf(schema) as object }));
}

type JsonSchema = {
  type?: unknown;
  enum?: unknown[];
  const?: unknown;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
};

/** A value that satisfies a simple JSON schema, also one with Google's types. */
export function sampleOf(given: object): unknown {
  const schema = given as JsonSchema;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf?.[0]) return sampleOf(schema.anyOf[0]);
  const type = String(Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? "object")).toLowerCase();
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, sampleOf(inner)]),
      );
    case "array":
      return schema.items ? [sampleOf(schema.items)] : [];
    case "integer":
    case "number":
      return 7;
    case "boolean":
      return true;
    default:
      return "Bern";
  }
}

/** Pieces of a text, as models write it. */
export function piecesOf(text: string): string[] {
  return text.match(/[\s\S]{1,9}/gu) ?? [];
}
