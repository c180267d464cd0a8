import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";

export type Side = "openai" | "anthropic";
type Tokens = { prompt: number; completion: number };

/** What a caller has read. `faults`: whatever is not as in the answer of a single upstream. */
export type Read = { said: string; faults: string[]; usage: Tokens | null };

const data = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;
const event = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
const chunk = (delta: object, reason: string | null = null): string =>
  data({
    id: "first",
    object: "chat.completion.chunk",
    created: 5,
    model: "m",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });

type Json = Record<string, unknown>;

function frames(text: string): Json[] {
  return text
    .split("\n")
    .filter((line) => line.startsWith("data:") && line.slice(5).trim() !== "[DONE]")
    .map((line) => JSON.parse(line.slice(5)) as Json);
}

function readOpenai(text: string): Read {
  const read: Read = { said: "", faults: [], usage: null };
  const all = frames(text);
  if (new Set(all.map(({ id, created, model }) => JSON.stringify([id, created, model]))).size > 1)
    read.faults.push("heads");
  let roles = 0;
  let finishes = 0;
  for (const { choices, usage, error } of all) {
    if (error) read.faults.push("error");
    const { prompt_tokens: prompt, completion_tokens: completion } = (usage ?? {}) as Record<string, number>;
    if (usage && read.usage) read.faults.push("usage twice");
    if (usage) read.usage = { prompt: prompt ?? 0, completion: completion ?? 0 };
    for (const choice of (choices ?? []) as {
      delta: { role?: string; content?: string };
      finish_reason: string | null;
    }[]) {
      if (finishes > 0) read.faults.push("after the finish");
      if (choice.delta.role) roles += 1;
      read.said += choice.delta.content ?? "";
      if (choice.finish_reason) finishes += 1;
    }
  }
  if (roles !== 1) read.faults.push(`${roles} roles`);
  if (finishes !== 1) read.faults.push(`${finishes} finishes`);
  if (text.split("[DONE]").length !== 2 || !text.endsWith("data: [DONE]\n\n")) read.faults.push("end");
  return read;
}

function readAnthropic(text: string): Read {
  const read: Read = { said: "", faults: [], usage: null };
  const order: string[] = [];
  for (const frame of frames(text)) {
    const { type, index, delta, usage } = frame as {
      type: string;
      index?: number;
      delta?: Json;
      usage?: Record<string, number>;
    };
    if (type === "error") read.faults.push("error");
    if (type === "ping") continue;
    const mark = index === undefined ? type : `${type} ${index}`;
    if (order.at(-1) !== mark) order.push(mark);
    else if (type !== "content_block_delta") read.faults.push(`${type} twice`);
    if (type === "content_block_delta") read.said += String(delta?.text ?? "");
    if (type === "message_delta")
      read.usage = { prompt: usage?.input_tokens ?? 0, completion: usage?.output_tokens ?? 0 };
  }
  const usual = [
    "message_start",
    "content_block_start 0",
    "content_block_delta 0",
    "content_block_stop 0",
    "message_delta",
    "message_stop",
  ];
  if (order.join() !== usual.join()) read.faults.push(order.join());
  return read;
}

/** How upstreams of a format speak, and how its callers read. */
export const upstreamSides = {
  openai: {
    type: CHANNEL_TYPE.openai,
    path: "/v1/chat/completions",
    start: chunk({ role: "assistant", content: "" }),
    text: (content: string) => chunk({ content }),
    end: ({ prompt, completion }: Tokens) =>
      chunk({}, "stop") +
      data({
        id: "first",
        object: "chat.completion.chunk",
        created: 5,
        model: "m",
        choices: [],
        usage: { prompt_tokens: prompt, completion_tokens: completion },
      }) +
      "data: [DONE]\n\n",
    read: readOpenai,
  },
  anthropic: {
    type: CHANNEL_TYPE.anthropic,
    path: "/v1/messages",
    start:
      event("message_start", { message: { id: "msg_1", model: "m", usage: { input_tokens: 14, output_tokens: 1 } } }) +
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    text: (text: string) => event("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
    end: ({ prompt, completion }: Tokens) =>
      event("content_block_stop", { index: 0 }) +
      event("message_delta", {
        delta: { stop_reason: "end_turn" },
        usage: { input_tokens: prompt, output_tokens: completion },
      }) +
      event("message_stop", {}),
    read: readAnthropic,
  },
} as const;
