import { PROOF_FIELDS } from "@/lib/http/proof";
import type { Route } from "@/lib/http/route";
import { bodySchema, fieldText } from "./body";
import { commonResponses, commonSchemas, otherReplies, otherRequests, securitySchemes } from "./common";
import { documentPath, operationIdOf } from "./naming";
import { outsideOperations } from "./outside-tables";
import { relayOperations } from "./relay";
import { apiRefusals, apiReplies } from "./replies";
import { toQueryParameters, toReplySchema } from "./schema";
import type { ApiTexts } from "./texts";
import type { JsonSchema, OpenApiDocument, Operation, Parameter } from "./types";

/** The routes of one resource and its base path. */
export type RouteTable = { base: string; routes: readonly Route[] };

type Source = {
  tables: readonly RouteTable[];
  texts: ApiTexts;
  /** Public URL of the API. */
  serverUrl: string;
  version: string;
  title: string;
};

/**
 * Builds the OpenAPI 3.1 document of the whole API from the schemas that validate the requests: route tables under
 * /api, playground and relay endpoints.
 */
export function buildDocument({ tables, texts, serverUrl, version, title }: Source): OpenApiDocument {
  const paths: OpenApiDocument["paths"] = {};
  const tags = new Set<string>();
  const schemas = { ...commonSchemas };
  const add = (path: string, method: string, operation: Operation) => {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    for (const tag of operation.tags) tags.add(tag);
  };
  for (const { path, method, operation } of [...relayOperations(texts), ...outsideOperations(texts)])
    add(path, method, operation);
  for (const { base, routes } of tables)
    for (const row of routes) add(documentPath(base, row.path), row.method, toOperation(base, row, texts, schemas));
  return {
    openapi: "3.1.0",
    info: { title, version, description: texts.description },
    servers: [{ url: serverUrl }],
    tags: [...tags].map((name) => ({ name, description: texts.tags[name] ?? name })),
    paths,
    components: { securitySchemes, schemas, responses: commonResponses(texts) },
  };
}

type Schemas = OpenApiDocument["components"]["schemas"];

function toOperation(base: string, row: Route, texts: ApiTexts, schemas: Schemas): Operation {
  const path = documentPath(base, row.path);
  const line = `${row.method} ${path}`;
  const operationId = operationIdOf(row.method, path);
  const parameters: Parameter[] = [
    ...(row.path.includes(":id")
      ? [{ name: "id", in: "path", required: true, schema: { type: "integer" } } as const]
      : []),
    ...(row.query ? toQueryParameters(row.query).map((parameter) => described(line, parameter, texts)) : []),
    ...(row.proof ? proofHeaders(texts) : []),
  ];
  return {
    operationId,
    summary: texts.operations[operationId] ?? `${row.method} ${path}`,
    tags: [tagOf(base)],
    security: securityOf(row.access),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(row.body
      ? { requestBody: { required: true, content: { "application/json": { schema: bodySchema(line, row, texts) } } } }
      : {}),
    ...otherRequests[`${row.method} ${path}`],
    responses: responsesOf(row, path, texts, schemas),
    "x-access": row.access,
  };
}

function described(line: string, parameter: Parameter, texts: ApiTexts): Parameter {
  const description = fieldText(line, parameter.name, texts);
  return description === undefined ? parameter : { ...parameter, description };
}

/** The proof that a client without dialogs sends along (contract §1.2). */
function proofHeaders({ proof }: ApiTexts): Parameter[] {
  return (["password", "code"] as const).map((kind) => ({
    name: PROOF_FIELDS[kind].header,
    in: "header",
    required: false,
    description: proof[kind].replace("{field}", PROOF_FIELDS[kind].field),
    schema: { type: "string" },
  }));
}

const tagOf = (base: string) => (base.startsWith("/pg") ? "playground" : base.slice("/api/".length));

/** A session cookie with the user id header, or a system access token (contract §1.2). */
function securityOf(access: Route["access"]): Operation["security"] {
  if (access === "public") return [];
  const signedIn = [{ session: [], userId: [] }, { accessToken: [] }];
  return access === "optional" ? [{}, { session: [] }] : signedIn;
}

function responsesOf(row: Route, path: string, texts: ApiTexts, schemas: Schemas): Operation["responses"] {
  const needsSignIn = row.access !== "public" && row.access !== "optional";
  const shared = (name: string) => ({ $ref: `#/components/responses/${name}` });
  return {
    ...successOf(row, path, texts, schemas),
    ...(row.malformedStatus ? { [row.malformedStatus]: shared("Refused") } : {}),
    ...(needsSignIn ? { "401": shared("Unauthenticated") } : {}),
    ...(row.path.includes(":id") ? { "404": shared("NotFound") } : {}),
    ...(row.body ? { "413": shared("TooLarge") } : {}),
    "429": shared(path.startsWith("/pg") ? "RelayTooMany" : "TooMany"),
    "500": shared("Fault"),
    "503": shared("Unavailable"),
  };
}

/** The response to a valid request: the described success or a failure; both are HTTP 200. */
function successOf(row: Route, path: string, texts: ApiTexts, schemas: Schemas): Operation["responses"] {
  const line = `${row.method} ${path}`;
  const reply = apiReplies[line];
  if (!reply) return otherReplies(texts)[line] ?? {};
  const { schema, components } = toReplySchema(reply);
  Object.assign(schemas, components);
  const success = { allOf: [{ $ref: "#/components/schemas/Success" }, schema] };
  const either = { oneOf: [success, refusalOf(line, schemas)] };
  return { "200": { description: texts.responses.envelope, content: { "application/json": { schema: either } } } };
}

function refusalOf(line: string, schemas: Schemas): JsonSchema {
  const failure = { $ref: "#/components/schemas/Failure" };
  const more = apiRefusals[line];
  if (!more) return failure;
  const { schema, components } = toReplySchema(more);
  Object.assign(schemas, components);
  return { allOf: [failure, schema] };
}
