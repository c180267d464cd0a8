import { type Json, readObject, readText } from "../../canonical/json";
import type { AssistantPart, MediaSource, Message, TextPart, UserPart } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { countThrough } from "../common/citation-place";
import { defined } from "../common/defined";
import { pictureLink } from "../pictures/answer-pictures";
import { readFileData, readSource } from "../pictures/data-url";
import { decodeAnnotations } from "./annotations";
import { decodeCall, decodeDrawn, decodeReasoning } from "./decode-response";
import { itemsOf, partsOf, partText, typeOf } from "./items";
import { isAboutTools } from "./tools";

/** What a model wrote in a row becomes one message. */
export function decodeMessages(json: Json): Message[] {
  const messages: Message[] = [];
  /** Of the model's message that is the last one. */
  let saying: AssistantPart[] | null = null;
  const toolNames = new Map<string, string>();
  if (readText(json.instructions) !== "") {
    messages.push({ role: "system", content: [{ type: "text", text: readText(json.instructions) }] });
  }
  itemsOf(json).forEach((item, i) => {
    // What was found has been said; only the upstream that searched can read more in it.
    if (typeOf(item) === "web_search_call" || isAboutTools(item)) return;
    const written = decodeWritten(item, `input[${i}]`);
    if (!written) {
      messages.push(decodeGiven(item, `input[${i}]`, toolNames));
      saying = null;
      return;
    }
    if (!saying) {
      saying = [];
      messages.push({ role: "assistant", content: saying });
    }
    for (const part of written) {
      saying.push(part);
      if (part.type === "tool-call") toolNames.set(part.id, part.name);
    }
  });
  return messages.map((message) =>
    message.role === "assistant" ? { ...message, content: countThrough(message.content) } : message,
  );
}

/** What the model wrote; null = somebody else did. */
function decodeWritten(item: Json, at: string): AssistantPart[] | null {
  switch (typeOf(item)) {
    case "message":
      return item.role === "assistant" ? contentOf(item, at).map((part) => decodeSaid(part, at)) : null;
    case "reasoning":
      return decodeReasoning(item);
    case "image_generation_call": {
      const drawn = decodeDrawn(item);
      if (drawn.length > 0) return drawn;
      throw new InvalidRequest(`${at} has no result, and this model cannot look it up by its id`, at);
    }
    case "function_call":
    case "custom_tool_call": {
      const call = decodeCall(item);
      if (readText(item.call_id) === "" || call.name === "") {
        throw new InvalidRequest(`${at} must have a call_id and a name`, at);
      }
      return [call];
    }
    default:
      return null;
  }
}

function decodeGiven(item: Json, at: string, toolNames: ReadonlyMap<string, string>): Message {
  const type = typeOf(item);
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    const toolCallId = readText(item.call_id);
    if (toolCallId === "") throw new InvalidRequest(`${at}.call_id must name a call`, `${at}.call_id`);
    const content = checkedParts(item.output, `${at}.output`).map((part) => decodeUserPart(part, at));
    return defined({ role: "tool" as const, toolCallId, toolName: toolNames.get(toolCallId), content });
  }
  if (type !== "message") {
    const name = JSON.stringify(item.type) ?? "none";
    throw new InvalidRequest(`${at} has the type ${name}, which this model cannot read`, at);
  }
  const content = contentOf(item, at);
  switch (item.role) {
    case "user":
      return { role: "user", content: content.map((part) => decodeUserPart(part, at)) };
    case "system":
    case "developer":
      return { role: item.role, content: content.map((part) => decodeText(part, at)) };
    default:
      throw new InvalidRequest(`${at}.role must be user, assistant, system or developer`, `${at}.role`);
  }
}

function contentOf(item: Json, at: string): readonly Json[] {
  return checkedParts(item.content, `${at}.content`);
}

function checkedParts(content: unknown, at: string): readonly Json[] {
  if (typeof content === "string" || Array.isArray(content)) return partsOf(content);
  throw new InvalidRequest(`${at} must be text or a list of parts`, at);
}

function isText({ type }: Json): boolean {
  return type === "input_text" || type === "output_text" || type === "text";
}

function unknownPart(part: Json, at: string): InvalidRequest {
  return new InvalidRequest(`${at} has a part of the unknown type ${JSON.stringify(part.type)}`, at);
}

/** A mark for the cache goes by the name that other dialects have for it. */
function markOf({ prompt_cache_breakpoint: mark }: Json): Json | undefined {
  return typeof mark === "object" && mark !== null ? { type: "ephemeral" } : undefined;
}

function decodeText(part: Json, at: string): TextPart {
  if (!isText(part)) throw unknownPart(part, at);
  return defined({ type: "text" as const, text: readText(part.text), cache: markOf(part) });
}

function decodeSaid(part: Json, at: string): AssistantPart {
  if (part.type === "refusal") return { type: "refusal", text: partText(part) };
  if (part.type === "output_image" || part.type === "input_image") {
    return { type: "text", text: pictureLink(readText(part.image_url)) };
  }
  return defined({ ...decodeText(part, at), citations: decodeAnnotations(part) });
}

function decodeUserPart(part: Json, at: string): UserPart {
  switch (part.type) {
    case "input_image": {
      const source = sourceOf([part.image_url], part, at);
      const detail = part.detail === "original" ? "high" : readText(part.detail) || undefined;
      return defined({ type: "image" as const, source, detail, cache: markOf(part) });
    }
    case "input_file": {
      const data = readText(part.file_data);
      const source = data === "" ? sourceOf([part.file_url], part, at) : readFileData(data, at);
      return defined({
        type: "file" as const,
        name: readText(part.filename) || undefined,
        source,
        cache: markOf(part),
      });
    }
    case "input_audio": {
      const { format, data } = readObject(part.input_audio);
      return { type: "audio", format: readText(format), data: readText(data) };
    }
    default:
      return decodeText(part, at);
  }
}

function sourceOf(urls: readonly unknown[], { file_id: id }: Json, at: string): MediaSource {
  const url = urls.map(readText).find((text) => text !== "");
  if (url !== undefined) return readSource(url, at);
  if (readText(id) !== "") return { type: "id", id: readText(id) };
  throw new InvalidRequest(`${at} has a picture or a file without data`, at);
}
