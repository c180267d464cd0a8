import type { ChannelSetting } from "@/lib/snapshot/channel-setting";

/** Changes answers of the OpenAI wire format on their way to the caller. One per request; pure but for its own state. */
export type Reshape = {
  /** A whole answer. What is not a JSON object is left as it is. */
  whole: (body: Buffer) => Buffer;
  /** Whole lines of an event stream. */
  lines: (lines: Buffer) => Buffer;
};

type Json = Record<string, unknown>;
/** Works on one choice's message or delta, in place. */
type Writer = (written: Json, choice: Json) => void;

const OPEN = "<think>\n";
const CLOSE = "\n</think>\n";

/** What the channel's setting asks for; null = answers are passed on as they are. */
export function createReshape({ forceFormat, thinkingToContent }: ChannelSetting): Reshape | null {
  if (!forceFormat && !thinkingToContent) return null;
  const inStream = thinkingToContent ? createThinkingWriter() : null;
  const change = (json: Json, key: "message" | "delta"): Json => {
    if (thinkingToContent) eachChoice(json, key, key === "message" ? foldThinking : (inStream ?? foldThinking));
    return forceFormat && !("error" in json) ? strict(json, key) : json;
  };
  return {
    whole: (body) => rewrite(body, (json) => change(json, "message")),
    lines: (lines) => rewriteLines(lines, (json) => change(json, "delta")),
  };
}

function asObject(value: unknown): Json | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

function rewrite(bytes: Buffer, change: (json: Json) => Json): Buffer {
  let json: Json | null;
  try {
    json = asObject(JSON.parse(bytes.toString("utf8")));
  } catch {
    return bytes;
  }
  return json ? Buffer.from(JSON.stringify(change(json))) : bytes;
}

const DATA = /^data:\s*(?=\{)/;

function rewriteLines(lines: Buffer, change: (json: Json) => Json): Buffer {
  const changed = lines
    .toString("utf8")
    .split("\n")
    .map((line) => {
      const head = DATA.exec(line)?.[0];
      return head ? `data: ${rewrite(Buffer.from(line.slice(head.length)), change).toString("utf8")}` : line;
    });
  return Buffer.from(changed.join("\n"));
}

function eachChoice(json: Json, key: string, write: Writer): void {
  if (!Array.isArray(json.choices)) return;
  for (const item of json.choices) {
    const choice = asObject(item);
    const written = asObject(choice?.[key]);
    if (choice && written) write(written, choice);
  }
}

/** Takes the thoughts out of a message or delta, under whichever name they come. */
function takeThinking(written: Json): string {
  const text = [written.reasoning_content, written.reasoning].find(
    (value) => typeof value === "string" && value !== "",
  );
  delete written.reasoning_content;
  delete written.reasoning;
  return typeof text === "string" ? text : "";
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const foldThinking: Writer = (message) => {
  const thinking = takeThinking(message);
  if (thinking !== "") message.content = `${OPEN}${thinking}${CLOSE}${textOf(message.content)}`;
};

/** Opens the tag with the first thought of a choice and closes it before its first word, call or end. */
function createThinkingWriter(): Writer {
  const thinking = new Set<number>();
  return (delta, choice) => {
    const index = typeof choice.index === "number" ? choice.index : 0;
    const thought = takeThinking(delta);
    const content = textOf(delta.content);
    let text = "";
    if (thought !== "") {
      text += thinking.has(index) ? thought : `${OPEN}${thought}`;
      thinking.add(index);
    }
    const goesOn = content !== "" || delta.tool_calls !== undefined || typeof choice.finish_reason === "string";
    if (goesOn && thinking.delete(index)) text += CLOSE;
    if (text !== "") delta.content = text + content;
  };
}

const CHOICE_KEYS = ["role", "content", "reasoning_content", "refusal", "tool_calls", "audio"] as const;

function pick(from: Json, keys: readonly string[]): Json {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}

/** Only what OpenAI's own answers have, with what they always have filled in. */
function strict(json: Json, key: "message" | "delta"): Json {
  const choices = Array.isArray(json.choices) ? json.choices : [];
  return {
    id: textOf(json.id) || "chatcmpl-0",
    object: key === "message" ? "chat.completion" : "chat.completion.chunk",
    created: typeof json.created === "number" ? json.created : 0,
    model: textOf(json.model),
    ...pick(json, ["system_fingerprint", "service_tier"]),
    choices: choices.map((item, position) => {
      const choice = asObject(item) ?? {};
      return {
        index: typeof choice.index === "number" ? choice.index : position,
        [key]: pick(asObject(choice[key]) ?? {}, CHOICE_KEYS),
        logprobs: choice.logprobs ?? null,
        finish_reason: textOf(choice.finish_reason) || null,
      };
    }),
    ...pick(json, ["usage"]),
  };
}
