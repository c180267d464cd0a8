import type { JsonSchema, RelayEndpoint } from "./types";

const FILE_PURPOSES = ["assistants", "batch", "fine-tune", "vision", "user_data", "evals"];

const fileBody: JsonSchema = {
  type: "object",
  required: ["file", "purpose"],
  properties: {
    file: { type: "string", format: "binary" },
    purpose: { type: "string", enum: FILE_PURPOSES },
    "expires_after[anchor]": { type: "string" },
    "expires_after[seconds]": { type: "integer" },
  },
  additionalProperties: false,
};

const batchBody: JsonSchema = {
  type: "object",
  required: ["input_file_id", "endpoint", "completion_window"],
  properties: {
    input_file_id: { type: "string" },
    endpoint: { type: "string", enum: ["/v1/chat/completions", "/v1/responses", "/v1/embeddings", "/v1/completions"] },
    completion_window: { type: "string", const: "24h" },
    metadata: { type: "object" },
    output_expires_after: { type: "object" },
  },
  additionalProperties: false,
};

/** What upstreams keep for users. */
export const STORED_ENDPOINTS: readonly RelayEndpoint[] = [
  { method: "GET", path: "/v1/responses/{id}", reply: "OpenAIResponse", stream: true },
  { method: "DELETE", path: "/v1/responses/{id}", reply: "StoredObject" },
  { method: "POST", path: "/v1/responses/{id}/cancel", reply: "OpenAIResponse" },
  { method: "GET", path: "/v1/responses/{id}/input_items", reply: "StoredList" },
  { method: "POST", path: "/v1/files", body: fileBody, form: "only", reply: "StoredObject" },
  { method: "GET", path: "/v1/files", reply: "StoredList" },
  { method: "GET", path: "/v1/files/{id}", reply: "StoredObject" },
  { method: "DELETE", path: "/v1/files/{id}", reply: "StoredObject" },
  { method: "GET", path: "/v1/files/{id}/content", reply: null, bytes: "application/octet-stream" },
  { method: "POST", path: "/v1/batches", body: batchBody, reply: "StoredObject" },
  { method: "GET", path: "/v1/batches", reply: "StoredList" },
  { method: "GET", path: "/v1/batches/{id}", reply: "StoredObject" },
  { method: "POST", path: "/v1/batches/{id}/cancel", reply: "StoredObject" },
];

const object: JsonSchema = {
  type: "object",
  required: ["id", "object"],
  properties: { id: { type: "string" }, object: { type: "string" }, status: { type: "string" } },
  additionalProperties: true,
};

export const storedSchemas: Readonly<Record<string, JsonSchema>> = {
  StoredObject: object,
  StoredList: {
    type: "object",
    required: ["object", "data"],
    properties: {
      object: { type: "string", const: "list" },
      data: { type: "array", items: { type: "object" } },
      first_id: { type: ["string", "null"] },
      last_id: { type: ["string", "null"] },
      has_more: { type: "boolean" },
    },
    additionalProperties: true,
  },
};
