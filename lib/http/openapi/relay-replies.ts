import { TASK_REPLIES } from "./task-bodies";
import type { JsonSchema } from "./types";

const results: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    required: ["index", "relevance_score"],
    properties: { index: { type: "integer" }, relevance_score: { type: "number" }, document: { type: "object" } },
    additionalProperties: true,
  },
};

/** Answers of the relay's endpoints that are no conversations. */
export const documentSchemas: Readonly<Record<string, JsonSchema>> = {
  Completion: {
    type: "object",
    required: ["id", "object", "choices"],
    properties: {
      id: { type: "string" },
      object: { type: "string", const: "text_completion" },
      choices: { type: "array", items: { type: "object" } },
      usage: { $ref: "#/components/schemas/Usage" },
    },
    additionalProperties: true,
  },
  EmbeddingList: {
    type: "object",
    required: ["data"],
    properties: {
      object: { type: "string", const: "list" },
      data: {
        type: "array",
        items: {
          type: "object",
          required: ["embedding"],
          properties: {
            index: { type: "integer" },
            embedding: { oneOf: [{ type: "array", items: { type: "number" } }, { type: "string" }] },
          },
          additionalProperties: true,
        },
      },
    },
    additionalProperties: true,
  },
  CohereEmbeddings: {
    type: "object",
    required: ["id", "embeddings"],
    properties: { id: { type: "string" }, embeddings: { type: "object" } },
    additionalProperties: true,
  },
  RankedDocuments: { type: "object", required: ["results"], properties: { results }, additionalProperties: true },
  Images: {
    type: "object",
    required: ["data"],
    properties: {
      created: { type: "integer" },
      data: {
        type: "array",
        items: { type: "object", properties: { b64_json: { type: "string" }, url: { type: "string" } } },
      },
      usage: { type: "object" },
    },
    additionalProperties: true,
  },
  Transcript: {
    type: "object",
    required: ["text"],
    properties: { text: { type: "string" }, usage: { type: "object" } },
    additionalProperties: true,
  },
  Moderation: {
    type: "object",
    required: ["results"],
    properties: { results: { type: "array", items: { type: "object" } } },
    additionalProperties: true,
  },
  Video: {
    type: "object",
    required: ["id", "object", "status"],
    properties: {
      id: { type: "string" },
      object: { type: "string", const: "video" },
      model: { type: "string" },
      status: { type: "string", enum: ["queued", "in_progress", "completed", "failed"] },
      progress: { type: "integer" },
    },
    additionalProperties: true,
  },
  VideoList: {
    type: "object",
    required: ["data"],
    properties: {
      object: { type: "string", const: "list" },
      data: { type: "array", items: { $ref: "#/components/schemas/Video" } },
    },
    additionalProperties: true,
  },
  VideoTask: {
    type: "object",
    required: ["task_id", "status"],
    properties: {
      task_id: { type: "string" },
      status: { type: "string", enum: ["queued", "in_progress", "completed", "failed"] },
      url: { type: "string" },
      error: { type: "object" },
    },
    additionalProperties: true,
  },
  ...TASK_REPLIES,
};
