import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { renderEvents } from "@/lib/relay/answers";
import type { ChatEvent } from "@/lib/relay/wire";
import { dialects } from "@/lib/relay/wire";

/** How one wire format is asked and served in the bench. */
export type BenchFormat = {
  id: string;
  /** A model that channels of `type` are asked for in this format by callers of every dialect. */
  model: string;
  type: number;
  setting: string;
  /** What the path begins with that an upstream of it is asked at. */
  arrives: string;
  /** Where callers of it send their request. */
  path: (model: string) => string;
  body: (model: string) => object;
};

const prompt = "y".repeat(800);
const messages = [{ role: "user", content: prompt }];

export const formats: readonly BenchFormat[] = [
  {
    id: "openai-chat",
    ...{ model: "bench-chat", type: CHANNEL_TYPE.openai, setting: "" },
    arrives: "/v1/chat/completions",
    path: () => "/v1/chat/completions",
    body: (model) => ({ model, max_tokens: 300, messages, stream: true, stream_options: { include_usage: true } }),
  },
  {
    id: "openai-responses",
    // OpenAI serves such models in this format alone, so that it is asked in it by callers of all formats.
    ...{ model: "o3-pro-bench", type: CHANNEL_TYPE.openai, setting: '{"speaks_responses":true}' },
    arrives: "/v1/responses",
    path: () => "/v1/responses",
    body: (model) => ({ model, max_output_tokens: 300, input: messages, stream: true, store: false }),
  },
  {
    id: "anthropic-messages",
    ...{ model: "claude-bench", type: CHANNEL_TYPE.anthropic, setting: "" },
    arrives: "/v1/messages",
    path: () => "/v1/messages",
    body: (model) => ({ model, max_tokens: 300, messages, stream: true }),
  },
  {
    id: "gemini-generate-content",
    ...{ model: "gemini-bench", type: CHANNEL_TYPE.gemini, setting: "" },
    arrives: "/v1beta/",
    path: (model) => `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: () => ({
      contents: [{ role: "user", parts: [{ text: prompt }] }],
      generationConfig: { maxOutputTokens: 300 },
    }),
  },
];

const usage = {
  ...{ promptTokens: 200, completionTokens: 300, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  ...{ audioPromptTokens: 0, audioCompletionTokens: 0 },
};

export const CHUNKS = 200;

/** A stream of this format: what comes before the text, as many chunks of text, and the end. */
export function streamOf(id: string, chunks = CHUNKS): Buffer[] {
  const renderer = dialects.get(id)?.client.streamRenderer({
    ...{ requestId: "bench", model: "bench-model", wantsUsage: true, createdAt: 1_700_000_000 },
  });
  if (!renderer) throw new Error(`there is no dialect ${id}`);
  const bytesOf = (events: readonly ChatEvent[]): Buffer =>
    renderEvents(events.flatMap((event) => [...renderer.step(event)]));
  const start = bytesOf([{ type: "start", id: "bench", model: "bench-model" }]);
  const text: ChatEvent = { type: "text-delta", choice: 0, text: "twenty tokens or so of text" };
  const parts = Array.from({ length: chunks }, () => bytesOf([text]));
  const finish: ChatEvent = { type: "finish", choice: 0, reason: { unified: "stop", raw: "stop" } };
  const end = Buffer.concat([bytesOf([finish, { type: "usage", usage }]), renderEvents([...renderer.end(true)])]);
  return [start, ...parts, end].filter((bytes) => bytes.length > 0);
}
