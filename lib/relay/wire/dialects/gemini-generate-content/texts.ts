import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { Countable } from "../dialect";
import { contentsOf, declarationsOf, field, objectField, partsOf, systemParts, toolsOf } from "./fields";
import { mediaOf } from "./media";

/** Tokens added for parts that are not text (contract §5.5). */
const MESSAGE_TOKENS = 2;
const IMAGE_TOKENS = 258;
const AUDIO_TOKENS = 100;
const FILE_TOKENS = 5_000;
const TOOL_TOKENS = 3;
const CALL_TOKENS = 7;

/** Texts written by people and tools: the system instruction, then the contents in order. */
export function* promptWords(json: Json): Iterable<string> {
  for (const part of [...systemParts(json), ...contentsOf(json).flatMap(partsOf)]) {
    const text = readText(part.text);
    if (text !== "") yield text;
    const { response } = objectField(part, "functionResponse");
    if (response !== undefined && response !== null) yield JSON.stringify(response);
  }
}

/** Texts of the system instruction, all contents and all tools. */
export function promptTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const part of systemParts(json)) addPart(into, part);
  for (const content of contentsOf(json)) {
    into.extra += MESSAGE_TOKENS;
    addText(into, readObject(content).role);
    for (const part of partsOf(content)) addPart(into, part);
  }
  for (const { name, description, ...tool } of toolsOf(json).flatMap(declarationsOf)) {
    into.extra += TOOL_TOKENS;
    addText(into, name);
    addText(into, description);
    addJson(into, tool.parameters ?? field(tool, "parametersJsonSchema"));
  }
  return into;
}

export function answerTexts(json: Json): Countable {
  const into: Countable = { texts: [], extra: 0 };
  for (const candidate of readArray(json.candidates)) {
    for (const part of partsOf(readObject(candidate).content)) {
      if (part.functionCall !== undefined) into.extra += CALL_TOKENS;
      addPart(into, part);
    }
  }
  return into;
}

function addText(into: Countable, value: unknown): void {
  if (typeof value === "string" && value !== "") into.texts.push(value);
}

function addJson(into: Countable, value: unknown): void {
  if (value !== undefined && value !== null) into.texts.push(JSON.stringify(value));
}

function addPart(into: Countable, part: Json): void {
  addText(into, part.text);
  const media = mediaOf(part);
  if (media) into.extra += tokensOf(media.mediaType);
  const { name, args } = objectField(part, "functionCall");
  addText(into, name);
  addJson(into, args);
  const result = objectField(part, "functionResponse");
  addText(into, result.name);
  addJson(into, result.response);
  for (const { mediaType } of partsOf(result).flatMap((inner) => mediaOf(inner) ?? [])) {
    into.extra += tokensOf(mediaType);
  }
  addText(into, objectField(part, "executableCode").code);
  addText(into, objectField(part, "codeExecutionResult").output);
}

function tokensOf(mediaType: string): number {
  if (mediaType.startsWith("image/")) return IMAGE_TOKENS;
  return mediaType.startsWith("audio/") ? AUDIO_TOKENS : FILE_TOKENS;
}
