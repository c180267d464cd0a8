import { streamedContent } from "./common";
import { operationIdOf } from "./naming";
import {
  cohereEmbedBody,
  cohereRerankBody,
  completionBody,
  embeddingBody,
  moderationBody,
  rerankBody,
  videoBody,
  videoTaskBody,
} from "./relay-bodies";
import { relayErrors } from "./relay-errors";
import { imageBody, imageEditBody, imageVariationBody, speechBody, transcriptBody } from "./relay-media-bodies";
import { STORED_ENDPOINTS } from "./relay-stored";
import { TASK_ENDPOINTS } from "./task-bodies";
import type { ApiTexts } from "./texts";
import type { JsonSchema, Operation, Parameter, RelayEndpoint } from "./types";

const chatBody: JsonSchema = {
  type: "object",
  required: ["model", "messages"],
  properties: {
    model: { type: "string", examples: ["gpt-4o-mini"] },
    messages: { type: "array", minItems: 1, items: { $ref: "#/components/schemas/ChatMessage" } },
    stream: { type: "boolean", default: false },
    stream_options: { type: "object", properties: { include_usage: { type: "boolean" } } },
    temperature: { type: "number" },
    top_p: { type: "number" },
    max_tokens: { type: "integer", minimum: 1 },
    stop: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
    tools: { type: "array", items: { type: "object" } },
    tool_choice: {},
    response_format: { type: "object" },
    seed: { type: "integer" },
    user: { type: "string" },
  },
  additionalProperties: true,
};

const messagesBody: JsonSchema = {
  type: "object",
  required: ["model", "max_tokens", "messages"],
  properties: {
    model: { type: "string", examples: ["claude-sonnet-4-5"] },
    max_tokens: { type: "integer", minimum: 1 },
    messages: { type: "array", minItems: 1, items: { type: "object" } },
    system: { oneOf: [{ type: "string" }, { type: "array", items: { type: "object" } }] },
    stream: { type: "boolean", default: false },
    temperature: { type: "number" },
    stop_sequences: { type: "array", items: { type: "string" } },
    thinking: { type: "object" },
    tools: { type: "array", items: { type: "object" } },
    tool_choice: { type: "object" },
  },
  additionalProperties: true,
};

const responsesBody: JsonSchema = {
  type: "object",
  required: ["model", "input"],
  properties: {
    model: { type: "string", examples: ["gpt-4o-mini"] },
    input: { oneOf: [{ type: "string" }, { type: "array", items: { type: "object" } }] },
    instructions: { type: "string" },
    stream: { type: "boolean", default: false },
    max_output_tokens: { type: "integer", minimum: 1 },
    reasoning: { type: "object" },
    tools: { type: "array", items: { type: "object" } },
    tool_choice: {},
    text: { type: "object" },
  },
  additionalProperties: true,
};

const countBody: JsonSchema = {
  type: "object",
  required: ["model", "messages"],
  properties: {
    model: { type: "string", examples: ["claude-sonnet-4-5"] },
    messages: { type: "array", minItems: 1, items: { type: "object" } },
    system: { oneOf: [{ type: "string" }, { type: "array", items: { type: "object" } }] },
    tools: { type: "array", items: { type: "object" } },
  },
  additionalProperties: true,
};

/** The endpoints of the relay, for API tokens. A test checks that the relay's own table has each of them. */
export const RELAY_ENDPOINTS: readonly RelayEndpoint[] = [
  { method: "POST", path: "/v1/chat/completions", body: chatBody, reply: "ChatCompletion", stream: true },
  { method: "POST", path: "/v1/messages", body: messagesBody, reply: "AnthropicMessage", stream: true },
  { method: "POST", path: "/v1/responses", body: responsesBody, reply: "OpenAIResponse", stream: true },
  ...STORED_ENDPOINTS,
  { method: "POST", path: "/v1/messages/count_tokens", body: countBody, reply: "TokenCount" },
  { method: "POST", path: "/v1/completions", body: completionBody, reply: "Completion", stream: true },
  { method: "POST", path: "/v1/embeddings", body: embeddingBody(), reply: "EmbeddingList" },
  { method: "POST", path: "/v1/engines/{model}/embeddings", body: embeddingBody(true), reply: "EmbeddingList" },
  { method: "POST", path: "/v2/embed", body: cohereEmbedBody, reply: "CohereEmbeddings" },
  { method: "POST", path: "/v1/rerank", body: rerankBody, reply: "RankedDocuments" },
  { method: "POST", path: "/v2/rerank", body: cohereRerankBody, reply: "RankedDocuments" },
  { method: "POST", path: "/v1/moderations", body: moderationBody, reply: "Moderation" },
  { method: "POST", path: "/v1/images/generations", body: imageBody, reply: "Images", stream: true },
  { method: "POST", path: "/v1/images/edits", body: imageEditBody, reply: "Images", stream: true, form: "too" },
  { method: "POST", path: "/v1/images/variations", body: imageVariationBody, reply: "Images", form: "only" },
  { method: "POST", path: "/v1/audio/speech", body: speechBody, reply: null, bytes: "audio/mpeg" },
  {
    method: "POST",
    path: "/v1/audio/transcriptions",
    body: transcriptBody,
    reply: "Transcript",
    stream: true,
    form: "only",
  },
  { method: "POST", path: "/v1/audio/translations", body: transcriptBody, reply: "Transcript", form: "only" },
  ...TASK_ENDPOINTS,
  { method: "GET", path: "/v1/realtime", query: ["model"], reply: null },
  { method: "POST", path: "/v1/videos", body: videoBody, reply: "Video" },
  { method: "GET", path: "/v1/videos", reply: "VideoList" },
  { method: "GET", path: "/v1/videos/{id}", reply: "Video" },
  { method: "POST", path: "/v1/video/generations", body: videoTaskBody, reply: "VideoTask" },
  { method: "GET", path: "/v1/video/generations/{id}", reply: "VideoTask" },
  { method: "GET", path: "/v1/models", reply: "ModelList" },
  { method: "GET", path: "/v1/models/{model}", reply: "ListedModel" },
  { method: "GET", path: "/v1/key", reply: "KeyInformation" },
  { method: "GET", path: "/v1beta/models", reply: "GoogleModelList" },
  { method: "GET", path: "/v1beta/models/{model}", reply: "GoogleModel" },
  { method: "GET", path: "/v1/dashboard/billing/subscription", reply: "BillingSubscription" },
  { method: "GET", path: "/v1/dashboard/billing/usage", reply: "BillingUsage" },
  { method: "GET", path: "/dashboard/billing/subscription", reply: "BillingSubscription" },
  { method: "GET", path: "/dashboard/billing/usage", reply: "BillingUsage" },
];

export function relayOperations(texts: ApiTexts): { path: string; method: string; operation: Operation }[] {
  return RELAY_ENDPOINTS.map(({ method, path, body, reply, stream, form, bytes, query = [] }) => {
    const operationId = operationIdOf(method, path);
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
    const named = (place: Parameter["in"]) => (name: string) =>
      ({ name, in: place, required: true, schema: { type: "string" } }) satisfies Parameter;
    const parameters: Parameter[] = [...names.map(named("path")), ...query.map(named("query"))];
    return {
      path,
      method,
      operation: {
        operationId,
        summary: texts.operations[operationId] ?? `${method} ${path}`,
        tags: ["relay"],
        security: [{ apiToken: [] }],
        ...(parameters.length > 0 ? { parameters } : {}),
        ...(body ? { requestBody: { required: true, content: bodyOf(body, form) } } : {}),
        responses: {
          ...(reply === null && !bytes
            ? { "101": { description: texts.responses.relay } }
            : {
                "200": {
                  description: texts.responses.relay,
                  content: bytes ? bytesOf(bytes) : contentOf(reply ?? "", stream),
                },
              }),
          ...relayErrors(path),
        },
        "x-access": "token",
      },
    };
  });
}

function bodyOf(schema: JsonSchema, form: RelayEndpoint["form"]) {
  return {
    ...(form === "only" ? {} : { "application/json": { schema } }),
    ...(form ? { "multipart/form-data": { schema } } : {}),
  };
}

function bytesOf(type: string) {
  return { [type]: { schema: { type: "string", format: "binary" } satisfies JsonSchema } };
}

function contentOf(reply: string, stream = false) {
  return stream
    ? streamedContent(reply)
    : { "application/json": { schema: { $ref: `#/components/schemas/${reply}` } } };
}
