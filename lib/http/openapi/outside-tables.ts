import { operationIdOf } from "./naming";
import type { ApiTexts } from "./texts";
import type { Operation, Parameter } from "./types";

type Outside = { method: "GET" | "POST"; path: string; tag: "auth" | "openapi"; isForm?: true };

/** Operations under /api that are in no route table: this document, and next-auth's sign-in. */
export const OUTSIDE_TABLES: readonly Outside[] = [
  { method: "GET", path: "/api/openapi.json", tag: "openapi" },
  { method: "GET", path: "/api/auth/providers", tag: "auth" },
  { method: "GET", path: "/api/auth/csrf", tag: "auth" },
  { method: "GET", path: "/api/auth/session", tag: "auth" },
  { method: "POST", path: "/api/auth/signin/{provider}", tag: "auth", isForm: true },
  { method: "GET", path: "/api/auth/callback/{provider}", tag: "auth" },
  { method: "POST", path: "/api/auth/signout", tag: "auth", isForm: true },
];

const form = {
  type: "object",
  required: ["csrfToken"],
  properties: { csrfToken: { type: "string" }, callbackUrl: { type: "string" }, json: { type: "string" } },
};
const object = { "application/json": { schema: { type: "object", additionalProperties: true } } };

export function outsideOperations(texts: ApiTexts): { path: string; method: string; operation: Operation }[] {
  return OUTSIDE_TABLES.map(({ method, path, tag, isForm }) => {
    const operationId = operationIdOf(method, path);
    const provider: Parameter = { name: "provider", in: "path", required: true, schema: { type: "string" } };
    const description = tag === "openapi" ? texts.responses.document : texts.responses.signIn;
    const operation: Operation = {
      operationId,
      summary: texts.operations[operationId] ?? `${method} ${path}`,
      tags: [tag],
      security: [],
      ...(path.endsWith("{provider}") ? { parameters: [provider] } : {}),
      ...(isForm
        ? { requestBody: { required: true, content: { "application/x-www-form-urlencoded": { schema: form } } } }
        : {}),
      responses: {
        "200": { description, content: object },
        ...(tag === "auth" ? { "302": { description }, "400": { description: texts.responses.refused } } : {}),
        ...(isForm ? { "413": { $ref: "#/components/responses/TooLarge" } } : {}),
      },
      "x-access": "public",
    };
    return { path, method, operation };
  });
}
