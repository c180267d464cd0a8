import { errorSchemas } from "./relay-errors";
import { pageSchemas } from "./relay-pages";
import { documentSchemas } from "./relay-replies";
import { storedSchemas } from "./relay-stored";
import type { ApiTexts } from "./texts";
import type { JsonSchema, OpenApiDocument, Operation } from "./types";

export const securitySchemes: Record<string, JsonSchema> = {
  session: { type: "apiKey", in: "cookie", name: "session" },
  userId: { type: "apiKey", in: "header", name: "New-API-User" },
  accessToken: { type: "apiKey", in: "header", name: "Authorization" },
  apiToken: { type: "http", scheme: "bearer" },
};

const envelope = (success: boolean, more: JsonSchema = {}): JsonSchema => ({
  type: "object",
  required: ["success", "message"],
  properties: { success: { type: "boolean", const: success }, message: { type: "string" }, ...more },
  additionalProperties: true,
});

export const commonSchemas: Record<string, JsonSchema> = {
  Success: envelope(true, {
    warnings: {
      type: "array",
      items: {
        type: "object",
        required: ["field", "code", "message"],
        properties: {
          field: { type: "string" },
          code: { type: "string", enum: ["unknown_field", "read_only", "no_effect"] },
          message: { type: "string" },
        },
      },
    },
  }),
  Failure: envelope(false, { code: { type: "string", enum: ["step_up_required", "other_user"] } }),
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
  AnthropicMessage: {
    type: "object",
    required: ["id", "type", "role", "model", "content", "stop_reason", "usage"],
    properties: {
      id: { type: "string" },
      type: { type: "string", const: "message" },
      role: { type: "string", const: "assistant" },
      model: { type: "string" },
      content: { type: "array", items: { type: "object" } },
      stop_reason: { type: ["string", "null"] },
      usage: {
        type: "object",
        properties: {
          input_tokens: { type: "integer", minimum: 0 },
          output_tokens: { type: "integer", minimum: 0 },
          cache_read_input_tokens: { type: ["integer", "null"] },
          cache_creation_input_tokens: { type: ["integer", "null"] },
        },
        additionalProperties: true,
      },
    },
    additionalProperties: true,
  },
  ChatCompletion: {
    type: "object",
    required: ["id", "object", "created", "model", "choices"],
    properties: {
      id: { type: "string" },
      object: { type: "string", const: "chat.completion" },
      created: { type: "integer" },
      model: { type: "string" },
      choices: {
        type: "array",
        items: {
          type: "object",
          required: ["index", "message", "finish_reason"],
          properties: {
            index: { type: "integer" },
            message: { $ref: "#/components/schemas/ChatMessage" },
            finish_reason: { type: ["string", "null"] },
          },
        },
      },
      usage: { $ref: "#/components/schemas/Usage" },
    },
    additionalProperties: true,
  },
  ModelList: {
    type: "object",
    required: ["object", "data"],
    properties: {
      success: { type: "boolean", const: true },
      object: { type: "string", const: "list" },
      data: { type: "array", items: { $ref: "#/components/schemas/ListedModel" } },
    },
  },
  OpenAIResponse: {
    type: "object",
    required: ["id", "object", "model", "status", "output"],
    properties: {
      id: { type: "string" },
      object: { type: "string", const: "response" },
      model: { type: "string" },
      status: { type: "string" },
      output: { type: "array", items: { type: "object" } },
      usage: { type: ["object", "null"] },
    },
    additionalProperties: true,
  },
  ...documentSchemas,
  ...pageSchemas,
  ...storedSchemas,
  TokenCount: { type: "object", required: ["input_tokens"], properties: { input_tokens: { type: "integer" } } },
  GoogleModel: {
    type: "object",
    required: ["name", "displayName", "supportedGenerationMethods"],
    properties: {
      name: { type: "string", examples: ["models/gemini-2.5-pro"] },
      baseModelId: { type: "string" },
      version: { type: "string" },
      displayName: { type: "string" },
      description: { type: "string" },
      inputTokenLimit: { type: "integer" },
      outputTokenLimit: { type: "integer" },
      supportedGenerationMethods: { type: "array", items: { type: "string" } },
    },
  },
  GoogleModelList: {
    type: "object",
    required: ["models"],
    properties: {
      models: { type: "array", items: { $ref: "#/components/schemas/GoogleModel" } },
      nextPageToken: { type: "string" },
    },
  },
  BillingSubscription: {
    type: "object",
    required: ["object", "hard_limit_usd", "access_until"],
    properties: {
      object: { type: "string", const: "billing_subscription" },
      has_payment_method: { type: "boolean" },
      soft_limit_usd: { type: "number" },
      hard_limit_usd: { type: "number" },
      system_hard_limit_usd: { type: "number" },
      access_until: { type: "integer" },
    },
  },
  BillingUsage: {
    type: "object",
    required: ["object", "total_usage"],
    properties: { object: { type: "string", const: "list" }, total_usage: { type: "number" } },
  },
  ...errorSchemas,
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

/** Responses that many operations share. */
export function commonResponses({ responses }: ApiTexts): OpenApiDocument["components"]["responses"] {
  const ref = (schema: string) => ({ $ref: `#/components/schemas/${schema}` });
  const retryAfter = { schema: { type: "integer" }, description: responses.retryAfter };
  const tooMany = { description: responses.tooMany, headers: { "Retry-After": retryAfter } };
  return {
    Refused: { description: responses.refused, content: json("Failure") },
    Unauthenticated: { description: responses.unauthenticated, content: json("Failure") },
    NotFound: { description: responses.notFound, content: json("RelayError") },
    TooLarge: { description: responses.tooLarge, content: json("Failure") },
    TooMany: { ...tooMany, content: json("Failure") },
    /** Of the playground: the limits of /api, and those of the relay, such as an empty balance. */
    RelayTooMany: {
      ...tooMany,
      content: { "application/json": { schema: { anyOf: [ref("Failure"), ref("RelayError")] } } },
    },
    Fault: { description: responses.fault, content: json("Failure") },
    Unavailable: { description: responses.unavailable, content: json("Failure") },
    RelayError: { description: responses.relayError, content: json("RelayError") },
    AnthropicError: { description: responses.dialectError, content: json("AnthropicError") },
    GoogleError: { description: responses.dialectError, content: json("GoogleError") },
    CohereError: { description: responses.dialectError, content: json("CohereError") },
    DrawingError: { description: responses.dialectError, content: json("DrawingError") },
    MusicError: { description: responses.dialectError, content: json("MusicError") },
    HeadersTooLarge: { description: responses.headersTooLarge, content: json("RelayError") },
  };
}

/** A chat response, whole or streamed. */
export const streamedContent = (reply: string) => ({
  ...json(reply),
  "text/event-stream": { schema: { type: "string" } },
});

const epayFields = {
  type: "object",
  required: ["pid", "out_trade_no", "money", "trade_status", "sign"],
  properties: Object.fromEntries(
    ["pid", "trade_no", "out_trade_no", "type", "name", "money", "trade_status", "sign", "sign_type"].map((name) => [
      name,
      { type: "string" },
    ]),
  ),
} as const;

/** Requests whose handlers read the input themselves, by "METHOD path". */
export const otherRequests: Record<string, Pick<Operation, "parameters" | "requestBody">> = {
  "GET /api/user/epay/notify": {
    parameters: Object.keys(epayFields.properties).map((name) => ({
      name,
      in: "query",
      required: epayFields.required.some((needed) => needed === name),
      schema: { type: "string" },
    })),
  },
  "POST /api/user/epay/notify": {
    requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: epayFields } } },
  },
  "POST /api/stripe/webhook": {
    parameters: [{ name: "Stripe-Signature", in: "header", required: true, schema: { type: "string" } }],
    requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
  },
  "POST /pg/images/generations": playgroundBody("application/json"),
  "POST /pg/images/edits": playgroundBody("multipart/form-data"),
  "POST /pg/audio/speech": playgroundBody("application/json"),
  "POST /pg/audio/transcriptions": playgroundBody("multipart/form-data"),
  "POST /pg/embeddings": playgroundBody("application/json"),
};

/** The fields of the endpoint of the same name under /v1. */
function playgroundBody(contentType: string): Pick<Operation, "requestBody"> {
  const schema = { type: "object", required: ["model"], properties: { model: { type: "string" } } };
  return { requestBody: { required: true, content: { [contentType]: { schema } } } };
}

/** Calls that answer with a file of rows. */
export const EXPORTS = [
  "/api/log/export",
  "/api/log/self/export",
  "/api/data/export",
  "/api/data/self/export",
  "/api/user/export",
  "/api/user/self/ledger/export",
];

/** Responses without the envelope, by "METHOD path". */
export function otherReplies({ responses }: ApiTexts): Record<string, Operation["responses"]> {
  const received = { type: "object", required: ["received"], properties: { received: { type: "boolean" } } };
  const failure = { $ref: "#/components/schemas/Failure" };
  const either = (schema: JsonSchema) => ({ anyOf: [schema, failure] });
  const receipt = { content: { "application/json": { schema: either(received) } } };
  const tooLarge = { "413": { $ref: "#/components/responses/TooLarge" } };
  const word = { schema: { type: "string", enum: ["success", "fail"] } };
  const notified = { "200": { description: responses.notified, content: { "text/plain": word } } };
  const file = (...types: string[]) => ({
    "200": {
      description: responses.file,
      content: Object.fromEntries(types.map((type) => [type, { schema: { type: "string" } }])),
    },
    "401": { $ref: "#/components/responses/Unauthenticated" },
    "429": { $ref: "#/components/responses/TooMany" },
    "500": { $ref: "#/components/responses/Fault" },
    "503": { $ref: "#/components/responses/Unavailable" },
  });
  const rows = file("text/csv", "application/x-ndjson");
  return {
    ...Object.fromEntries(EXPORTS.map((path) => [`GET ${path}`, rows])),
    "GET /api/user/statement": file("text/csv", "application/pdf"),
    "GET /api/oauth/telegram/bind": {
      "200": { description: responses.refused, content: json("Failure") },
      "401": { $ref: "#/components/responses/Unauthenticated" },
      "302": {
        description: responses.redirected,
        headers: { Location: { schema: { type: "string" }, description: responses.redirected } },
      },
    },
    "POST /api/stripe/webhook": {
      "200": { description: responses.notified, ...receipt },
      "400": { description: responses.refused, ...receipt },
      "409": { description: responses.refused, ...receipt },
      ...tooLarge,
    },
    "GET /api/user/epay/notify": notified,
    "POST /api/user/epay/notify": { ...notified, ...tooLarge },
    ...Object.fromEntries(
      ["images/generations", "images/edits", "audio/speech", "audio/transcriptions", "embeddings"].map((name) => [
        `POST /pg/${name}`,
        {
          "200": { description: responses.stream, content: { "*/*": {} } },
          default: { $ref: "#/components/responses/RelayError" },
        },
      ]),
    ),
    "GET /pg/videos/{id}/content": {
      "200": {
        description: responses.stream,
        content: { "video/*": { schema: { type: "string", format: "binary" } } },
      },
      "206": {
        description: responses.stream,
        content: { "video/*": { schema: { type: "string", format: "binary" } } },
      },
      "401": { $ref: "#/components/responses/Unauthenticated" },
      default: { $ref: "#/components/responses/RelayError" },
    },
    "POST /pg/chat/completions": {
      "200": {
        description: responses.stream,
        content: {
          ...streamedContent("ChatCompletion"),
          "application/json": { schema: either({ $ref: "#/components/schemas/ChatCompletion" }) },
        },
      },
      default: { $ref: "#/components/responses/RelayError" },
    },
  };
}
