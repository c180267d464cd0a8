import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Countable } from "../dialect";
import { addSaid } from "../pictures/pictures-in-history";
import { allBlocks, blocksOf, blockText } from "./blocks";
import { toolsOf } from "./facts";

/** Tokens added for parts that are not text (contract §5.5). */
const MESSAGE_TOKENS = 2;
const IMAGE_TOKENS = 1_000;
const DOCUMENT_TOKENS = 5_000;
const TOOL_TOKENS = 3;
const CALL_TOKENS = 7;

/** Texts written by people and tools: the system prompt, then the messages in order. */
export function* promptWords(json: Json): Iterable<string> {
  const blocks = [...blocksOf(json.system), ...readArray(json.messages).flatMap(allBlocks)];
  for (const block of blocks) {
    const text = blockText(block);
    if (text !== "") yield text;
  }
}

/** Texts of the system prompt, all messages and all tools. */
export function promptTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const block of blocksOf(json.system)) addBlock(into, block);
  for (const message of readArray(json.messages)) {
    into.extra += MESSAGE_TOKENS;
    addText(into, readObject(message).role);
    for (const block of allBlocks(message)) addBlock(into, block, readObject(message).role === "assistant");
  }
  for (const tool of toolsOf(json)) {
    into.extra += TOOL_TOKENS;
    addText(into, tool.name);
    addText(into, tool.description);
    addJson(into, tool.input_schema);
  }
  return into;
}

export function answerTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const block of blocksOf(json.content)) addBlock(into, block);
  return into;
}

export function frameTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  if (json.type === "content_block_start") {
    const { type, name, text, thinking } = readObject(json.content_block);
    if (type === "tool_use") into.extra += CALL_TOKENS;
    for (const value of [name, text, thinking]) addText(into, value);
  }
  if (json.type === "content_block_delta") {
    const { text, thinking, partial_json: values } = readObject(json.delta);
    for (const value of [text, thinking, values]) addText(into, value);
  }
  return into;
}

function addText(into: Countable, value: unknown): void {
  if (typeof value === "string" && value !== "") into.texts.push(value);
}

function addJson(into: Countable, value: unknown): void {
  if (value !== undefined && value !== null) into.texts.push(JSON.stringify(value));
}

function addBlock(into: Countable, block: Json, isOwn = false): void {
  const text = blockText(block);
  if (isOwn) addSaid(into, text, IMAGE_TOKENS);
  else addText(into, text);
  if (block.type === "image") into.extra += IMAGE_TOKENS;
  if (block.type === "document" && text === "") into.extra += DOCUMENT_TOKENS;
  if (block.type === "thinking") addText(into, readText(block.thinking));
  if (block.type !== "tool_use") return;
  addText(into, block.name);
  addJson(into, block.input);
}
