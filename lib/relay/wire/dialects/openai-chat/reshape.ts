import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { parseJsonObject } from "../common/json-text";
import type { Reshape, ReshapeSetting } from "../dialect";

/** Changes the message or delta of one choice. */
type Writer = (written: Json, choice: Json) => Json;

const OPEN = "<think>\n";
const CLOSE = "\n</think>\n";

/** Applies the channel's setting; null = responses pass through unchanged. */
export function createReshape({ forceFormat, thinkingToContent }: ReshapeSetting): Reshape | null {
  if (!forceFormat && !thinkingToContent) return null;
  const writeDelta = createThinkingWriter();
  const change = (json: Json, key: "message" | "delta"): Json => {
    const told = thinkingToContent ? mapChoices(json, key, key === "message" ? foldThinking : writeDelta) : json;
    return forceFormat && !("error" in told) ? strict(told, key) : told;
  };
  return {
    whole: (json) => change(json, "message"),
    lines: (text) => mapLines(text, (json) => change(json, "delta")),
  };
}

const DATA = /^data:\s*(?=\{)/;

function mapLines(text: string, change: (json: Json) => Json): string {
  return text
    .split("\n")
    .map((line) => {
      const head = DATA.exec(line)?.[0];
      if (head === undefined) return line;
      const json = parseJsonObject(line.slice(head.length));
      return `data: ${json ? JSON.stringify(change(json)) : line.slice(head.length)}`;
    })
    .join("\n");
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapChoices(json: Json, key: string, write: Writer): Json {
  if (!Array.isArray(json.choices)) return json;
  const choices = json.choices.map((choice: unknown) => {
    if (!isObject(choice)) return choice;
    const written = choice[key];
    return isObject(written) ? { ...choice, [key]: write({ ...written }, choice) } : choice;
  });
  return { ...json, choices };
}

/** Removes the thinking from a message or delta and returns it, whichever field it is in. */
function takeThinking(written: Json): string {
  const text = [written.reasoning_content, written.reasoning].map(readText).find((value) => value !== "");
  delete written.reasoning_content;
  delete written.reasoning;
  return text ?? "";
}

const foldThinking: Writer = (message) => {
  const thinking = takeThinking(message);
  if (thinking !== "") message.content = `${OPEN}${thinking}${CLOSE}${readText(message.content)}`;
  return message;
};

/**
 * Writes the opening tag before a choice's first thinking, and the closing tag before its first text, tool call or
 * finish reason.
 */
function createThinkingWriter(): Writer {
  const thinking = new Set<number>();
  return (delta, choice) => {
    const index = typeof choice.index === "number" ? choice.index : 0;
    const thought = takeThinking(delta);
    const content = readText(delta.content);
    let text = "";
    if (thought !== "") {
      text += thinking.has(index) ? thought : `${OPEN}${thought}`;
      thinking.add(index);
    }
    const goesOn = content !== "" || delta.tool_calls !== undefined || typeof choice.finish_reason === "string";
    if (goesOn && thinking.delete(index)) text += CLOSE;
    if (text !== "") delta.content = text + content;
    return delta;
  };
}

const CHOICE_KEYS = ["role", "content", "reasoning_content", "refusal", "tool_calls", "audio"] as const;

function pick(from: Json, keys: readonly string[]): Json {
  return Object.fromEntries(keys.filter((key) => from[key] !== undefined).map((key) => [key, from[key]]));
}

/** Keeps only the fields of OpenAI's own responses, and fills in those that are always present. */
function strict(json: Json, key: "message" | "delta"): Json {
  return {
    id: readText(json.id) || "chatcmpl-0",
    object: key === "message" ? "chat.completion" : "chat.completion.chunk",
    created: typeof json.created === "number" ? json.created : 0,
    model: readText(json.model),
    ...pick(json, ["system_fingerprint", "service_tier"]),
    choices: readArray(json.choices).map((item, position) => {
      const choice = readObject(item);
      return {
        index: typeof choice.index === "number" ? choice.index : position,
        [key]: pick(readObject(choice[key]), CHOICE_KEYS),
        logprobs: choice.logprobs ?? null,
        finish_reason: readText(choice.finish_reason) || null,
      };
    }),
    ...pick(json, ["usage"]),
  };
}
