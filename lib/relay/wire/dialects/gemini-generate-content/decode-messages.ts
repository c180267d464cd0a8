import { type Json, readObject, readText } from "../../canonical/json";
import type { Message, TextPart, UserPart } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { defined } from "../common/defined";
import { isGiven } from "../common/option-rule";
import { contentsOf, field, objectField, partsOf, systemParts } from "./fields";
import { decodeMedia, mediaOf } from "./media";
import { assistantParts } from "./pieces";

type Call = { id: string; name: string; hasResult: boolean };
/** Calls with one id or name in their order; those before `next` have their results. */
type Line = { calls: Call[]; next: number };

/** The calls that wait for their results. A caller may send thousands, so each is found without a search. */
class OpenCalls {
  readonly #byId = new Map<string, Line>();
  readonly #byName = new Map<string, Line>();

  add(id: string, name: string): void {
    const call = { id, name, hasResult: false };
    for (const [lines, key] of [
      [this.#byId, id],
      [this.#byName, name],
    ] as const) {
      const line = lines.get(key);
      if (line) line.calls.push(call);
      else lines.set(key, { calls: [call], next: 0 });
    }
  }

  /** Without an id, a result belongs to the first call of its name that waits for one. */
  take(id: string, name: string): Call | undefined {
    const line = id === "" ? this.#byName.get(name) : this.#byId.get(id);
    if (!line) return undefined;
    while (line.calls[line.next]?.hasResult) line.next++;
    const call = line.calls[line.next];
    if (call) call.hasResult = true;
    return call;
  }
}

/** Results of tools become separate messages, placed before the other parts of their content. */
export function decodeMessages(json: Json): Message[] {
  const open = new OpenCalls();
  const messages = contentsOf(json).flatMap((content, i): Message[] => {
    const at = `contents[${i}]`;
    if (!isGiven(content.parts)) throw new InvalidRequest(`${at}.parts must be a list`, `${at}.parts`);
    const role = readText(content.role) || "user";
    if (role === "model" || role === "assistant") return [decodeModel(partsOf(content), i, open)];
    if (role === "user" || role === "function" || role === "tool") return decodeUser(partsOf(content), at, open);
    if (role === "system") return [{ role, content: decodeTexts(partsOf(content), at) }];
    throw new InvalidRequest(`${at}.role must be user or model`, `${at}.role`);
  });
  return [...decodeSystem(json), ...messages];
}

function decodeSystem(json: Json): Message[] {
  const content = decodeTexts(systemParts(json), "systemInstruction");
  return content.length > 0 ? [{ role: "system", content }] : [];
}

function decodeTexts(parts: readonly Json[], at: string): TextPart[] {
  return parts.map(({ text }) => {
    if (typeof text !== "string") throw new InvalidRequest(`${at} must be text`, at);
    return { type: "text", text };
  });
}

function decodeModel(parts: readonly Json[], i: number, open: OpenCalls): Message {
  const content = assistantParts(parts, `call_${i}`);
  for (const part of content) if (part.type === "tool-call") open.add(part.id, part.name);
  return { role: "assistant", content };
}

function decodeUser(parts: readonly Json[], at: string, open: OpenCalls): Message[] {
  const isResult = (part: Json): boolean => field(part, "functionResponse") !== undefined;
  const results = parts.filter(isResult).map((part) => decodeResult(objectField(part, "functionResponse"), at, open));
  const others = parts.filter((part) => !isResult(part)).flatMap((part) => decodeUserPart(part, at));
  if (others.length === 0 && results.length > 0) return results;
  return [...results, { role: "user", content: others }];
}

function decodeUserPart(part: Json, at: string): UserPart[] {
  if (typeof part.text === "string") return [{ type: "text", text: part.text }];
  const media = mediaOf(part);
  if (!media) throw new InvalidRequest(`${at}.parts has a part that this model cannot read`, `${at}.parts`);
  return [decodeMedia(media)];
}

function decodeResult(result: Json, at: string, open: OpenCalls): Message {
  const name = readText(result.name);
  const id = readText(result.id);
  const call = open.take(id, name);
  const toolCallId = call?.id ?? id;
  if (toolCallId === "") {
    throw new InvalidRequest(`${at}.parts has a functionResponse without its functionCall`, `${at}.parts`);
  }
  const { text, isError } = readResponse(result.response, name);
  const media = partsOf(result).flatMap((part) => decodeUserPart(part, at));
  const said: UserPart[] = text === "" ? [] : [{ type: "text", text }];
  const toolName = call?.name || name || undefined;
  return defined({ role: "tool" as const, toolCallId, toolName, content: [...said, ...media], isError });
}

/** Google's clients put the result under "output", and what went wrong under "error"; others repeat the name beside "content". */
function readResponse(response: unknown, name: string): { text: string; isError: true | undefined } {
  const given = readObject(response);
  if (given.name === name && typeof given.content === "string" && Object.keys(given).length === 2) {
    return { text: given.content, isError: undefined };
  }
  const keys = Object.keys(given);
  if (keys.length === 0) return { text: "", isError: undefined };
  const [key = ""] = keys;
  const isError = keys.length === 1 && key === "error" ? true : undefined;
  const only = keys.length === 1 && (key === "output" || key === "error" || key === "result") ? given[key] : given;
  return { text: typeof only === "string" ? only : JSON.stringify(only), isError };
}
