import type { JsonSchema } from "./types";

const oneOrMore: JsonSchema = { oneOf: [{ type: "string" }, { type: "array", minItems: 1 }] };
const model = (example: string): JsonSchema => ({ type: "string", examples: [example] });

export const completionBody: JsonSchema = {
  type: "object",
  required: ["model", "prompt"],
  properties: {
    model: model("gpt-3.5-turbo-instruct"),
    prompt: oneOrMore,
    suffix: { type: "string" },
    stream: { type: "boolean", default: false },
    max_tokens: { type: "integer", minimum: 1 },
    temperature: { type: "number" },
    n: { type: "integer", minimum: 1, maximum: 128 },
    best_of: { type: "integer", minimum: 1, maximum: 128 },
    stop: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] },
  },
  additionalProperties: true,
};

/** `modelInPath`: the body need not name one. */
export function embeddingBody(modelInPath = false): JsonSchema {
  return {
    type: "object",
    required: modelInPath ? ["input"] : ["model", "input"],
    properties: {
      model: model("text-embedding-3-small"),
      input: oneOrMore,
      encoding_format: { type: "string", enum: ["float", "base64"] },
      dimensions: { type: "integer", minimum: 1 },
    },
    additionalProperties: true,
  };
}

export const cohereEmbedBody: JsonSchema = {
  type: "object",
  required: ["model", "texts"],
  properties: {
    model: model("embed-v4.0"),
    texts: { type: "array", minItems: 1, items: { type: "string" } },
    input_type: { type: "string" },
    embedding_types: { type: "array", items: { type: "string" } },
    output_dimension: { type: "integer", minimum: 1 },
  },
  additionalProperties: true,
};

const rerankFields = {
  query: { type: "string", minLength: 1 },
  documents: { type: "array", minItems: 1, items: { oneOf: [{ type: "string" }, { type: "object" }] } },
  top_n: { type: "integer", minimum: 1 },
} satisfies Record<string, JsonSchema>;

export const rerankBody: JsonSchema = {
  type: "object",
  required: ["model", "query", "documents"],
  properties: {
    model: model("jina-reranker-v2-base-multilingual"),
    ...rerankFields,
    return_documents: { type: "boolean" },
  },
  additionalProperties: true,
};

export const cohereRerankBody: JsonSchema = {
  type: "object",
  required: ["model", "query", "documents"],
  properties: { model: model("rerank-v3.5"), ...rerankFields },
  additionalProperties: true,
};

export const moderationBody: JsonSchema = {
  type: "object",
  required: ["input"],
  properties: { model: model("omni-moderation-latest"), input: oneOrMore },
  additionalProperties: true,
};

export const videoBody: JsonSchema = {
  type: "object",
  required: ["prompt"],
  properties: {
    model: model("sora-2"),
    prompt: { type: "string" },
    seconds: { type: "string", examples: ["8"] },
    size: { type: "string", examples: ["1280x720"] },
    input_reference: { type: "object", properties: { image_url: { type: "string" } } },
  },
  additionalProperties: true,
};

export const videoTaskBody: JsonSchema = {
  type: "object",
  required: ["model", "prompt"],
  properties: {
    model: model("veo-3.1-generate-001"),
    prompt: { type: "string" },
    image: { type: "string" },
    images: { type: "array", items: { type: "string" } },
    duration: { type: "number", minimum: 1 },
    size: { type: "string", examples: ["1280x720"] },
    width: { type: "integer", minimum: 1 },
    height: { type: "integer", minimum: 1 },
    mode: { type: "string" },
    n: { type: "integer", minimum: 1, maximum: 4 },
    seed: { type: "integer" },
    metadata: { type: "object" },
  },
  additionalProperties: true,
};
