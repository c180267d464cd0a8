import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { AssistantPart, MediaSource, Message, TextPart, UserPart } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { countThrough } from "../common/citation-place";
import { defined } from "../common/defined";
import { pictureLink, pictureText } from "../pictures/answer-pictures";
import { blocksOf } from "./blocks";
import { decodeCitations } from "./citations";
import { decodeToolReference, isToolReference, isToolSearchBlock } from "./tool-search";
import { isSearchBlock } from "./web-search";

/** Tool results become separate messages, placed before the other content of their message. */
export function decodeMessages(json: Json): Message[] {
  const toolNames = new Map<string, string>();
  return readArray(json.messages).flatMap((value, i): Message[] => {
    const { role, content } = readObject(value);
    const at = `messages.${i}`;
    if (typeof content !== "string" && !Array.isArray(content)) {
      throw new InvalidRequest(`${at}.content must be text or a list of blocks`, `${at}.content`);
    }
    const blocks = blocksOf(content);
    if (role === "assistant") return [decodeAssistant(blocks, at, toolNames)];
    if (role === "user") return decodeUser(blocks, at, toolNames);
    if (role === "system") return [{ role, content: decodeTexts(blocks, at) }];
    throw new InvalidRequest(`${at}.role must be user, assistant or system`, `${at}.role`);
  });
}

export function markOf({ cache_control: cache }: Json): Json | undefined {
  return typeof cache === "object" && cache !== null ? readObject(cache) : undefined;
}

export function decodeText(block: Json): TextPart {
  return defined({ type: "text" as const, text: readText(block.text), cache: markOf(block) });
}

function decodeSaid(block: Json): TextPart {
  return defined({ ...decodeText(block), citations: decodeCitations(block) });
}

function unknownBlock(block: Json, at: string): InvalidRequest {
  const type = JSON.stringify(block.type);
  return new InvalidRequest(`${at}.content has a block of type ${type}, which this model cannot read`, `${at}.content`);
}

export function decodeTexts(blocks: readonly Json[], at: string): TextPart[] {
  return blocks.map((block) => {
    if (block.type !== "text") throw unknownBlock(block, at);
    return decodeText(block);
  });
}

function decodeUser(blocks: readonly Json[], at: string, toolNames: ReadonlyMap<string, string>): Message[] {
  const results = blocks
    .filter(({ type }) => type === "tool_result")
    .map((block) => decodeResult(block, at, toolNames));
  const others = blocks.filter(({ type }) => type !== "tool_result").map((block) => decodeUserPart(block, at));
  if (others.length === 0 && results.length > 0) return results;
  return [...results, { role: "user", content: others }];
}

function decodeResult(block: Json, at: string, toolNames: ReadonlyMap<string, string>): Message {
  const toolCallId = readText(block.tool_use_id);
  if (toolCallId === "")
    throw new InvalidRequest(`${at}.content has a tool_result without tool_use_id`, `${at}.content`);
  const content = blocksOf(block.content).map((inner) =>
    isToolReference(inner) ? decodeToolReference(inner) : decodeUserPart(inner, at),
  );
  const last = content.at(-1);
  const cache = markOf(block);
  if (cache && last && last.type !== "audio" && !last.cache) last.cache = cache;
  return defined({
    role: "tool" as const,
    toolCallId,
    toolName: toolNames.get(toolCallId),
    content,
    isError: typeof block.is_error === "boolean" ? block.is_error : undefined,
  });
}

function decodeUserPart(block: Json, at: string): UserPart {
  const cache = markOf(block);
  switch (block.type) {
    case "text":
      return decodeText(block);
    case "image":
      return defined({ type: "image" as const, source: decodeSource(readObject(block.source), at), cache });
    case "document": {
      const name = readText(block.title) || undefined;
      return defined({ type: "file" as const, name, source: decodeSource(readObject(block.source), at), cache });
    }
    case "search_result": {
      const name = readText(block.title) || readText(block.source) || undefined;
      return defined({ type: "file" as const, name, source: joinTexts(block.content, at), cache });
    }
    default:
      throw unknownBlock(block, at);
  }
}

function decodeSource(source: Json, at: string): MediaSource {
  switch (source.type) {
    case "base64":
      return { type: "base64", mediaType: readText(source.media_type), data: readText(source.data) };
    case "url":
      return { type: "url", url: readText(source.url) };
    case "text":
      return { type: "text", text: readText(source.data) };
    case "file":
      return { type: "id", id: readText(source.file_id) };
    case "content":
      return joinTexts(source.content, at);
    default:
      throw new InvalidRequest(`${at}.content has a block with an unknown source`, `${at}.content`);
  }
}

function joinTexts(content: unknown, at: string): MediaSource {
  const texts = blocksOf(content).map((block) => {
    if (block.type !== "text") throw unknownBlock(block, at);
    return readText(block.text);
  });
  return { type: "text", text: texts.join("\n") };
}

function decodeAssistant(blocks: readonly Json[], at: string, toolNames: Map<string, string>): Message {
  const said = blocks.filter((block) => !isSearchBlock(block) && !isToolSearchBlock(block));
  const content = said.map((block): AssistantPart => {
    const part = decodeBlock(block);
    if (!part) throw unknownBlock(block, at);
    if (part.type === "tool-call") toolNames.set(part.id, part.name);
    return part;
  });
  return { role: "assistant", content: countThrough(content) };
}

/** Anthropic's models draw nothing, but callers send what others drew as blocks of the assistant. */
function decodeDrawn({ media_type: mediaType, data, url }: Json): TextPart | null {
  if (readText(data) !== "") {
    return { type: "text", text: pictureText({ mediaType: readText(mediaType) || "image/png", data: readText(data) }) };
  }
  return readText(url) === "" ? null : { type: "text", text: pictureLink(readText(url)) };
}

/** Decodes a block written by a model; null = a type that other dialects do not have. */
export function decodeBlock(block: Json): AssistantPart | null {
  switch (block.type) {
    case "text":
      return decodeSaid(block);
    case "image":
      return decodeDrawn(readObject(block.source));
    case "thinking":
      return defined({
        type: "thinking" as const,
        text: readText(block.thinking),
        signature: readText(block.signature) || undefined,
      });
    case "redacted_thinking":
      return { type: "redacted-thinking", data: readText(block.data) };
    case "tool_use":
      return defined({
        type: "tool-call" as const,
        id: readText(block.id),
        name: readText(block.name),
        arguments: JSON.stringify(block.input ?? {}),
        cache: markOf(block),
      });
    default:
      return null;
  }
}
