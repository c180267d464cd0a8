import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Cap, EncodeTarget } from "@/lib/relay/operations/operation";
import { rows } from "@/lib/relay/providers/rows";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { findFault } from "@/lib/testing/fake-anthropic-schema";
import { claudeFault } from "@/lib/testing/fake-vertex";
import { geminiGenerateContent } from "@/lib/testing/strict-upstream/gemini";
import { openaiChat } from "@/lib/testing/strict-upstream/openai-chat";
import { findNovaFault } from "@/lib/testing/tool-schema-rules";
import { upstreamSchemas } from "@/lib/testing/upstream-schemas";
import { callTo } from "./request-samples";

/** A channel as the translation of a request sees it, and what its provider refuses. Null = nothing. */
export type Place = {
  type: number;
  model: string;
  baseUrl?: string;
  other?: string;
  speaksResponses?: true;
  /** What the account pays for; absent = anything. */
  cap?: Cap;
  /** Options of the site that are not as usual. */
  options?: Partial<EncodeTarget["options"]>;
  fault: (body: Json, headers: ReadonlyMap<string, string>) => string | null;
};

export type Sent = { body: Json; headers: ReadonlyMap<string, string> };

const bySchema =
  (format: string): Place["fault"] =>
  (body) =>
    upstreamSchemas.get(format)?.safeParse(body).error?.message ?? null;

const asked = (read: string | object): string | null => (typeof read === "string" ? read : null);
const chat: Place["fault"] = (body) => asked(openaiChat.read(body, ""));
const gemini =
  (model: string): Place["fault"] =>
  (body) =>
    asked(geminiGenerateContent.read(body, `/v1beta/models/${model}:generateContent`));

function nova(body: Json): string | null {
  const { tools = [] } = (body.toolConfig ?? {}) as { tools?: { toolSpec: { inputSchema: { json: unknown } } }[] };
  const faults = tools.map(({ toolSpec }) => findNovaFault(toolSpec.inputSchema.json));
  return faults.find((fault) => fault !== null) ?? bySchema("bedrock-converse")(body, new Map());
}

const { bedrock, vertex } = CHANNEL_TYPE;

/** Every wire format that has tools, and each cloud that serves it. */
export const WITH_TOOLS: Readonly<Record<string, Place>> = {
  "openai-chat": { type: CHANNEL_TYPE.openai, model: "gpt-4.1", baseUrl: "http://foreign.example", fault: chat },
  "openai-responses": {
    type: CHANNEL_TYPE.openai,
    model: "o3-pro",
    speaksResponses: true,
    fault: bySchema("openai-responses"),
  },
  "anthropic-messages": {
    type: CHANNEL_TYPE.anthropic,
    model: "claude-sonnet-4-5",
    fault: (body) => findFault(body, () => true),
  },
  "an older Claude": {
    type: CHANNEL_TYPE.anthropic,
    model: "claude-3-7-sonnet-20250219",
    fault: (body) => (JSON.stringify(body).includes('"strict":true') ? "strict" : findFault(body, () => true)),
  },
  "bedrock-invoke": { type: bedrock, model: "claude-sonnet-4-5", fault: bySchema("bedrock-invoke") },
  "Claude on Vertex AI": {
    type: vertex,
    model: "claude-sonnet-4-5",
    fault: (body, headers) => claudeFault(body, headers),
  },
  "gemini-generate-content": { type: CHANNEL_TYPE.gemini, model: "gemini-2.5-pro", fault: gemini("gemini-2.5-pro") },
  "Gemini before 2.5": { type: CHANNEL_TYPE.gemini, model: "gemini-2.0-flash", fault: gemini("gemini-2.0-flash") },
  "Gemini on Vertex AI": { type: vertex, model: "gemini-2.5-flash", fault: gemini("gemini-2.5-flash") },
  "bedrock-converse": { type: bedrock, model: "meta.llama3-3-70b", fault: bySchema("bedrock-converse") },
  "Nova on Bedrock": { type: bedrock, model: "nova-pro-v1:0", fault: nova },
  cohere: { type: CHANNEL_TYPE.cohere, model: "command-a-03-2025", fault: bySchema("cohere") },
  ollama: { type: CHANNEL_TYPE.ollama, model: "llama3.3", fault: bySchema("ollama") },
  "workers-ai": {
    type: CHANNEL_TYPE.cloudflare,
    model: "run/@cf/meta/llama",
    other: "a",
    fault: bySchema("workers-ai"),
  },
  ernie: { type: CHANNEL_TYPE.ernie, model: "ERNIE-4.0-8K", fault: bySchema("ernie") },
  hunyuan: { type: CHANNEL_TYPE.hunyuan, model: "hunyuan-turbo", fault: bySchema("hunyuan") },
  dashscope: { type: CHANNEL_TYPE.dashscope, model: "qwen-audio-turbo", fault: bySchema("dashscope") },
};

/** What a request to the gateway becomes for a channel. */
export async function sentTo(
  place: Omit<Place, "fault">,
  path: string,
  json: Json,
  headers: Readonly<Record<string, string>> = {},
): Promise<Sent> {
  const { type, model, baseUrl = "", other = "", speaksResponses = false, cap = null, options } = place;
  const call = { ...callTo(path), headers };
  const intake = call.operation.read(Buffer.from(JSON.stringify(json)), call);
  const setting = { systemPrompt: "", systemPromptOverride: false, speaksResponses };
  const channel = { type, baseUrl, other, setting, paramOverride: {} };
  const target = {
    channel,
    row: rows.get(type),
    model,
    cap,
    isUntouched: false,
    options: { ...defaultOptions(), ...options },
  } as unknown as EncodeTarget;
  const encoded = await ("encode" in intake ? intake.encode(target) : Promise.reject(new Error("no conversation")));
  const pairs = encoded.headers.flatMap((name, at) =>
    at % 2 === 0 ? [[name, encoded.headers[at + 1] ?? ""] as const] : [],
  );
  const { body } = encoded;
  if (!Buffer.isBuffer(body)) throw new Error("the body is a file");
  return { body: JSON.parse(body.toString("utf8")) as Json, headers: new Map(pairs) };
}
