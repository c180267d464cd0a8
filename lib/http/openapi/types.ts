/** The parts of OpenAPI 3.1 used here. */
export type JsonSchema = Record<string, unknown>;

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
};

type Content = Record<string, { schema: JsonSchema; example?: unknown }>;

type Headers = Record<string, { schema: JsonSchema; description: string }>;

type ApiResponse = { description: string; content?: Content; headers?: Headers } | { $ref: string };

export type Operation = {
  operationId: string;
  summary: string;
  tags: string[];
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ApiResponse>;
  /** The minimum role; "token" for the relay's API keys. */
  "x-access": "public" | "optional" | "user" | "admin" | "root" | "token";
};

export type OpenApiDocument = {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, JsonSchema>;
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ApiResponse>;
  };
};

/** An endpoint of the relay, as it is described. */
export type RelayEndpoint = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: JsonSchema;
  /** Names a schema; null = the answer is a WebSocket, or bytes. */
  reply: string | null;
  stream?: boolean;
  /** The body is a form, which has files. */
  form?: "only" | "too";
  /** The answer is bytes. */
  bytes?: string;
  /** Parameters in the query that it cannot do without. */
  query?: readonly string[];
};
