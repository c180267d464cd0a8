import { type Json, readArray, readList, readObject } from "../../canonical/json";
import type { Countable } from "../dialect";
import { addSaid } from "../pictures/pictures-in-history";

/** Token counts of parts that are not text (contract §5.5); an image's size is not considered. */
const IMAGE_LOW_TOKENS = 85;
const IMAGE_TOKENS = 765;
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5_000;
const MESSAGE_TOKENS = 3;
const REQUEST_TOKENS = 3;
const TOOL_TOKENS = 8;
const CALL_TOKENS = 7;

/** Texts written by people and tools, message by message. */
export function* promptWords(json: Json): Iterable<string> {
  for (const message of readArray(json.messages)) {
    const { content } = readObject(message);
    for (const part of readList(content)) {
      const text = typeof part === "string" ? part : readObject(part).text;
      if (typeof text === "string") yield text;
    }
  }
}

/** Texts of all messages and tools. */
export function promptTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: REQUEST_TOKENS };
  for (const message of readArray(json.messages)) addMessage(into, message);
  for (const tool of readList(json.tools)) {
    into.extra += TOOL_TOKENS;
    const { name, description, parameters } = readObject(readObject(tool).function);
    addText(into, name);
    addText(into, description);
    if (parameters !== undefined) into.texts.push(JSON.stringify(parameters));
  }
  return into;
}

export function answerTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const choice of readArray(json.choices)) addWritten(into, readObject(choice).message, 0);
  return into;
}

export function frameTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const choice of readArray(json.choices)) addWritten(into, readObject(choice).delta, CALL_TOKENS);
  return into;
}

function addText(into: Countable, value: unknown): void {
  if (typeof value === "string" && value !== "") into.texts.push(value);
}

function addMessage(into: Countable, value: unknown): void {
  const { role, content, name, tool_calls: calls } = readObject(value);
  into.extra += MESSAGE_TOKENS + (typeof name === "string" ? 1 : 0);
  addText(into, role);
  addText(into, name);
  const addWords = role === "assistant" ? addOwn : addText;
  if (typeof content === "string") addWords(into, content);
  else for (const part of readList(content)) addPart(into, part, addWords);
  for (const call of readArray(calls)) addCall(into, call);
}

function addOwn(into: Countable, value: unknown): void {
  addSaid(into, value, IMAGE_TOKENS);
}

function addPart(into: Countable, part: unknown, addWords: typeof addText): void {
  const { type, text, image_url: image } = readObject(part);
  if (type === "image_url") into.extra += readObject(image).detail === "low" ? IMAGE_LOW_TOKENS : IMAGE_TOKENS;
  else if (type === "input_audio") into.extra += AUDIO_TOKENS;
  else if (type === "file") into.extra += FILE_TOKENS;
  else addWords(into, text);
}

function addCall(into: Countable, call: unknown): void {
  const { name, arguments: values } = readObject(readObject(call).function);
  addText(into, name);
  addText(into, values);
}

/** An answer in parts, as Mistral writes it: a thought is a list of parts itself. */
function addWrittenPart(into: Countable, part: unknown): void {
  const { text, thinking } = readObject(part);
  addText(into, text);
  addText(into, thinking);
  for (const inner of readArray(thinking)) addText(into, readObject(inner).text);
}

/** Adds the texts of a message or delta written by a model. */
function addWritten(into: Countable, value: unknown, perCall: number): void {
  const { content, reasoning_content: reasoning, reasoning: other, tool_calls: calls } = readObject(value);
  for (const text of [content, reasoning, other]) addText(into, text);
  if (Array.isArray(content)) for (const part of content) addWrittenPart(into, part);
  for (const call of readArray(calls)) {
    if (typeof readObject(call).id === "string") into.extra += perCall;
    addCall(into, call);
  }
}
