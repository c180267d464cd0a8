import { createHash } from "node:crypto";
import type { ChatEvent } from "../../wire/canonical/event";
import type { Frame, Machine } from "../../wire/canonical/machine";
import type { ChatRequest, Message } from "../../wire/canonical/request";
import type { ChatResponse } from "../../wire/canonical/response";
import type { UpstreamFormat } from "../../wire/dialects/dialect";

/** What the names of tools may be in a wire format. */
type NameRule = { valid: RegExp; others: RegExp; source: string };

/** All formats but those below; Anthropic and Bedrock take longer names in some places, and this everywhere. */
const USUAL: NameRule = {
  valid: /^[a-zA-Z0-9_-]{1,64}$/,
  others: /[^a-zA-Z0-9_-]/g,
  source: "https://platform.openai.com/docs/api-reference/chat/create",
};

const RULES: Readonly<Record<string, NameRule>> = {
  "gemini-generate-content": {
    valid: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
    others: /[^a-zA-Z0-9_.:-]/g,
    source: "https://ai.google.dev/api/caching#FunctionDeclaration",
  },
  cohere: {
    valid: /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/,
    others: /[^a-zA-Z0-9_]/g,
    source: "https://docs.cohere.com/reference/chat",
  },
};

const NAME_MAX = 64;
const HASH_LENGTH = 8;

/** The same name always gives the same result, so that it stays the same in all turns; different names give different ones. */
function sentName(name: string, { valid, others }: NameRule): string {
  if (valid.test(name)) return name;
  const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
  const plain = `_${name.replace(others, "_")}`.replace(/^_(?=[a-zA-Z_])/, "");
  return `${plain.slice(0, NAME_MAX - HASH_LENGTH - 1)}_${hash}`;
}

/** A request with names that the format takes, and the format with its answers in the caller's names. */
export type Renamed = { request: ChatRequest; format: UpstreamFormat };

/** Replaces names that are too long or have other characters in the request, and puts them back in the answer. */
export function renameTools(request: ChatRequest, format: UpstreamFormat, id: string): Renamed {
  const rule = RULES[id] ?? USUAL;
  const names = new Set([...(request.tools ?? []).map(({ name }) => name), ...calledNames(request.messages)]);
  const changed = [...names].filter((name) => !rule.valid.test(name));
  if (changed.length === 0) return { request, format };
  const sent = new Map(changed.map((name) => [name, sentName(name, rule)]));
  const given = new Map([...sent].map(([name, written]) => [written, name]));
  return { request: withNames(request, sent), format: inGivenNames(format, given) };
}

function calledNames(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => {
    if (message.role === "tool") return message.toolName === undefined ? [] : [message.toolName];
    if (message.role !== "assistant") return [];
    return message.content.flatMap((part) => (part.type === "tool-call" ? [part.name] : []));
  });
}

function withNames(request: ChatRequest, sent: ReadonlyMap<string, string>): ChatRequest {
  const written = <Named extends { name: string }>(one: Named): Named => ({
    ...one,
    name: sent.get(one.name) ?? one.name,
  });
  const { tools, toolChoice } = request;
  return {
    ...request,
    messages: request.messages.map((message): Message => {
      if (message.role === "tool") {
        const toolName = sent.get(message.toolName ?? "");
        return toolName === undefined ? message : { ...message, toolName };
      }
      if (message.role !== "assistant") return message;
      return { ...message, content: message.content.map((part) => (part.type === "tool-call" ? written(part) : part)) };
    }),
    ...(tools ? { tools: tools.map(written) } : {}),
    ...(toolChoice?.type === "tool" ? { toolChoice: written(toolChoice) } : {}),
  };
}

function inGivenNames(format: UpstreamFormat, given: ReadonlyMap<string, string>): UpstreamFormat {
  return {
    ...format,
    decode: (json, readUsage) => {
      const response = format.decode(json, readUsage);
      return response && responseInNames(response, given);
    },
    streamDecoder: (readUsage) => machineInNames(format.streamDecoder(readUsage), given),
  };
}

function responseInNames(response: ChatResponse, given: ReadonlyMap<string, string>): ChatResponse {
  const choices = response.choices.map((choice) => ({
    ...choice,
    content: choice.content.map((part) =>
      part.type === "tool-call" ? { ...part, name: given.get(part.name) ?? part.name } : part,
    ),
  }));
  return { ...response, choices };
}

function machineInNames(
  machine: Machine<Frame, ChatEvent>,
  given: ReadonlyMap<string, string>,
): Machine<Frame, ChatEvent> {
  const named = (event: ChatEvent): ChatEvent =>
    event.type === "tool-call-start" ? { ...event, name: given.get(event.name) ?? event.name } : event;
  return {
    step: (frame) => machine.step(frame).map(named),
    end: (isWhole) => machine.end(isWhole).map(named),
  };
}
