import type { ApiTexts } from "./texts";
import type { JsonSchema, OpenApiDocument } from "./types";

export const securitySchemes: Record<string, JsonSchema> = {
  session: { type: "apiKey", in: "cookie", name: "session" },
  userId: { type: "apiKey", in: "header", name: "New-API-User" },
  accessToken: { type: "apiKey", in: "header", name: "Authorization" },
  apiToken: { type: "http", scheme: "bearer" },
};

const envelope = (success: boolean): JsonSchema => ({
  type: "object",
  required: ["success", "message"],
  properties: {
    success: { type: "boolean", const: success },
    message: { type: "string" },
    ...(success ? { data: {} } : {}),
  },
  additionalProperties: true,
});

export const commonSchemas: Record<string, JsonSchema> = {
  Success: envelope(true),
  Failure: envelope(false),
  ChatMessage: {
    type: "object",
    required: ["role", "content"],
    properties: {
      role: { type: "string", enum: ["system", "developer", "user", "assistant", "tool"] },
      content: { oneOf: [{ type: "string" }, { type: "array", items: { type: "object" } }] },
    },
    additionalProperties: true,
  },
  Usage: {
    type: "object",
    properties: {
      prompt_tokens: { type: "integer", minimum: 0 },
      completion_tokens: { type: "integer", minimum: 0 },
      total_tokens: { type: "integer", minimum: 0 },
    },
    additionalProperties: true,
  },
  RelayError: {
    type: "object",
    required: ["error"],
    properties: {
      error: {
        type: "object",
        required: ["message", "type"],
        properties: {
          message: { type: "string" },
          type: { type: "string" },
          param: { type: ["string", "null"] },
          code: { type: ["string", "null"] },
        },
      },
    },
  },
};

const json = (schema: string) => ({ "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } });

/** Answers that many calls share, described in the reader's language. */
export function commonResponses({ responses }: ApiTexts): OpenApiDocument["components"]["responses"] {
  const either = { oneOf: [{ $ref: "#/components/schemas/Success" }, { $ref: "#/components/schemas/Failure" }] };
  return {
    Envelope: { description: responses.envelope, content: { "application/json": { schema: either } } },
    EventStream: { description: responses.stream, content: { "text/event-stream": { schema: { type: "string" } } } },
    Refused: { description: responses.refused, content: json("Failure") },
    Unauthenticated: { description: responses.unauthenticated, content: json("Failure") },
    TooMany: { description: responses.tooMany },
    Fault: { description: responses.fault, content: json("Failure") },
    RelayError: { description: responses.relayError, content: json("RelayError") },
  };
}
