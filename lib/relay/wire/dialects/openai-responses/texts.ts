import { type Json, readArray, readObject } from "../../canonical/json";
import type { Countable } from "../dialect";
import { addSaid } from "../pictures/pictures-in-history";
import { itemParts, itemsOf, partText, thoughtTexts, typeOf } from "./items";
import { flatTools } from "./tools";

/** Token counts of parts that are not text (contract §5.5); an image's size is not considered. */
const IMAGE_LOW_TOKENS = 85;
const IMAGE_TOKENS = 765;
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5_000;
const ITEM_TOKENS = 3;
const REQUEST_TOKENS = 3;
const TOOL_TOKENS = 8;
const CALL_TOKENS = 7;

/** Texts written by people and tools: the instructions, then the items in order. */
export function* promptWords(json: Json): Iterable<string> {
  if (typeof json.instructions === "string" && json.instructions !== "") yield json.instructions;
  for (const part of itemsOf(json).flatMap(itemParts)) {
    const text = partText(part);
    if (text !== "") yield text;
  }
}

/** Texts of the instructions, all items and all tools. */
export function promptTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: REQUEST_TOKENS };
  addText(into, json.instructions);
  for (const item of itemsOf(json)) {
    into.extra += ITEM_TOKENS;
    addText(into, item.role);
    addItem(into, item);
    for (const part of itemParts(item)) addPart(into, part, item.role === "assistant");
  }
  for (const { name, description, parameters, format } of flatTools(json)) {
    into.extra += TOOL_TOKENS;
    addText(into, name);
    addText(into, description);
    for (const value of [parameters, format]) if (isFilled(value)) into.texts.push(JSON.stringify(value));
  }
  return into;
}

export function answerTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const value of readArray(json.output)) {
    const item = readObject(value);
    addItem(into, item);
    if (typeOf(item) === "message") for (const part of itemParts(item)) addText(into, partText(part));
  }
  return into;
}

/** Only deltas count: the events after them repeat what they said. */
export function frameTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  addText(into, json.delta);
  if (json.type !== "response.output_item.added") return into;
  const { type, name } = readObject(json.item);
  if (type === "function_call" || type === "custom_tool_call") {
    into.extra += CALL_TOKENS;
    addText(into, name);
  }
  return into;
}

/** What an item has besides parts: a call, or the summary of a thought. */
function addItem(into: Countable, item: Json): void {
  const type = typeOf(item);
  if (type === "reasoning") for (const text of thoughtTexts(item)) addText(into, text);
  else for (const value of [item.name, item.arguments, item.input]) addText(into, value);
}

function addPart(into: Countable, part: Json, isOwn: boolean): void {
  if (part.type === "input_image") into.extra += part.detail === "low" ? IMAGE_LOW_TOKENS : IMAGE_TOKENS;
  else if (part.type === "input_audio") into.extra += AUDIO_TOKENS;
  else if (part.type === "input_file") into.extra += FILE_TOKENS;
  else if (isOwn) addSaid(into, partText(part), IMAGE_TOKENS);
  else addText(into, partText(part));
}

function addText(into: Countable, value: unknown): void {
  if (typeof value === "string" && value !== "") into.texts.push(value);
}

function isFilled(value: unknown): boolean {
  return value !== undefined && value !== null;
}
