import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeApi } from "@/app/api/openapi.json/document";
import { routeTables } from "@/app/api/openapi.json/tables";
import { documentPath } from "@/lib/http/openapi/naming";
import { OUTSIDE_TABLES } from "@/lib/http/openapi/outside-tables";
import { RELAY_ENDPOINTS } from "@/lib/http/openapi/relay";
import { apiReplies } from "@/lib/http/openapi/replies";
import { TASK_ENDPOINTS } from "@/lib/http/openapi/task-bodies";
import { apiTexts } from "@/lib/http/openapi/texts";
import type { Operation } from "@/lib/http/openapi/types";
import { type Endpoint, findEndpoint } from "@/lib/relay/side/endpoints";

const document = describeApi({ title: "Weir", serverUrl: "https://weir.example" }, "en");
const rows = routeTables().flatMap(({ base, routes }) =>
  routes.map((row) => ({ line: `${row.method} ${documentPath(base, row.path)}`, row })),
);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ line: `${method.toUpperCase()} ${path}`, path, operation })),
);
const find = (line: string): Operation => {
  const found = operations.find((operation) => operation.line === line);
  if (!found) throw new Error(`${line} is not described`);
  return found.operation;
};

const kindOf = (endpoint: Endpoint) => (endpoint.kind === "page" ? endpoint.page : endpoint.kind);
const isUnanswered = (kind: string) => kind === "unknown" || kind === "not-implemented";

describe("the description of the interface", () => {
  test("has every folder of app/api that holds a route table", () => {
    const root = join(process.cwd(), "app", "api");
    const folders = readdirSync(root).filter((name) => existsSync(join(root, name, "[[...path]]", "route.ts")));
    const described = routeTables().flatMap(({ base }) => (base.startsWith("/api/") ? [base.slice(5)] : []));
    expect(described.sort()).toEqual(folders.sort());
    // The other folders: next-auth's sign-in, this document, and the reply to unknown paths.
    const others = readdirSync(root).filter((name) => !folders.includes(name) && !name.endsWith(".ts"));
    expect(others.sort()).toEqual(["[...path]", "auth", "openapi.json"]);
  });

  test("says of every call what its success holds, and of none that is not there", () => {
    expect(Object.keys(apiReplies).sort()).toEqual(rows.map(({ line }) => line).sort());
    const bare = rows.filter(({ line }) => Object.keys(find(line).responses)[0] === undefined);
    expect(bare).toEqual([]);
  });

  test("names the rows of the lists once, and refers to them", () => {
    const { schemas } = document.components;
    const rowsOfLists = ["Channel", "Token", "Log", "User", "Redemption", "Drawing", "Task", "TopUp", "LedgerEntry"];
    for (const name of rowsOfLists) expect(Object.keys(schemas[name]?.properties ?? {}), name).toContain("id");
    expect(JSON.stringify(find("GET /api/token").responses["200"])).toContain('"#/components/schemas/Token"');
    expect(JSON.stringify(find("GET /api/log").responses["200"])).toContain('"#/components/schemas/Log"');
  });

  test("has every row of the route tables, and no path that is not routed", () => {
    const others = [...RELAY_ENDPOINTS, ...OUTSIDE_TABLES].map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ line }) => line).sort()).toEqual([...rows.map(({ line }) => line), ...others].sort());
    expect(rows.length).toBeGreaterThan(100);
  });

  test("the relay answers each of its endpoints", () => {
    const kinds = RELAY_ENDPOINTS.map(({ method, path }) => {
      const request = { method, url: path.replace(/\{\w+\}/, "gpt-4o") } as Parameters<typeof findEndpoint>[0];
      return kindOf(findEndpoint(request));
    });
    expect(kinds.filter(isUnanswered)).toEqual([]);
  });

  test("what the relay answers of the interfaces that clients know is described", () => {
    const known = RELAY_ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    const candidates = [
      ...["chat/completions", "completions", "edits", "embeddings", "moderations", "responses", "messages", "rerank"],
      ...["messages/count_tokens"],
      ...["images/generations", "images/edits", "images/variations", "engines/{model}/embeddings", "realtime"],
      ...["audio/transcriptions", "audio/translations", "audio/speech", "models", "models/{model}", "files"],
      ...["fine-tunes", "fine_tuning/jobs", "assistants", "threads", "batches", "dashboard/billing/credit_grants"],
      ...["responses/{id}", "responses/{id}/cancel", "responses/{id}/input_items", "files/{id}", "files/{id}/content"],
      ...["batches/{id}", "batches/{id}/cancel"],
      ...["dashboard/billing/subscription", "dashboard/billing/usage"],
      ...["videos", "videos/{id}", "video/generations", "video/generations/{id}"],
    ].map((path) => `/v1/${path}`);
    const lines = [
      ...candidates,
      "/dashboard/billing/subscription",
      "/dashboard/billing/usage",
      "/v1/key",
      "/v1beta/models",
      "/v1beta/models/{model}",
      ...TASK_ENDPOINTS.map(({ path }) => path),
      "/v2/embed",
      "/v2/rerank",
    ].flatMap((path) => ["GET", "POST", "PUT", "DELETE"].map((method) => ({ method, path })));
    const answered = lines.filter(({ method, path }) => {
      const request = { method, url: path.replace(/\{\w+\}/, "gpt-4o") } as Parameters<typeof findEndpoint>[0];
      return !isUnanswered(kindOf(findEndpoint(request)));
    });
    expect(answered.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([...known].sort());
  });

  test("says in both languages what each operation is for, and of none that is not there", () => {
    const ids = operations.map(({ operation }) => operation.operationId).sort();
    for (const locale of ["en", "zh"] as const) expect(Object.keys(apiTexts(locale).operations).sort()).toEqual(ids);
    expect(Object.keys(apiTexts("en").tags).sort()).toEqual(document.tags.map(({ name }) => name).sort());
    expect(Object.keys(apiTexts("zh").tags).sort()).toEqual(Object.keys(apiTexts("en").tags).sort());
  });
});

describe("the document is OpenAPI 3.1", () => {
  test("operation ids are unique, and every template of a path has its parameter", () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(document.openapi).toBe("3.1.0");
    for (const { path, operation } of operations) {
      const templates = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const inPath = (operation.parameters ?? []).filter((parameter) => parameter.in === "path");
      expect(inPath.map(({ name }) => name)).toEqual(templates);
      expect(inPath.every(({ required }) => required)).toBe(true);
      expect(path).toMatch(/^\/[a-zA-Z0-9/_{}.-]*[a-zA-Z0-9}]$/);
    }
  });

  test("every schema can be read by a reader of JSON Schema, and every answer has words", () => {
    const bodies = operations.flatMap(({ operation }) => [
      ...Object.values(operation.requestBody?.content ?? {}),
      ...Object.values(operation.responses).flatMap((answer) =>
        "content" in answer ? Object.values(answer.content ?? {}) : [],
      ),
    ]);
    const inline = bodies.map(({ schema }) => schema);
    const $defs = document.components.schemas;
    for (const schema of [...inline, ...Object.values($defs)]) {
      const text = JSON.stringify({ ...schema, $defs }).replaceAll("#/components/schemas/", "#/$defs/");
      expect(() => z.fromJSONSchema(JSON.parse(text)), text.slice(0, 200)).not.toThrow();
    }
    for (const { line, operation } of operations) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        expect(status, line).toMatch(/^(101|[2-5]\d\d|default)$/);
        if ("description" in answer) expect(answer.description.length, line).toBeGreaterThan(0);
      }
      expect(
        Object.keys(operation.responses).some((status) => /^[123]/.test(status)),
        line,
      ).toBe(true);
    }
  });

  test("who must sign in can, in each of the ways there are, and is told when it went wrong", () => {
    expect(document.components.securitySchemes).toMatchObject({
      session: { type: "apiKey", in: "cookie", name: "session" },
      userId: { type: "apiKey", in: "header", name: "New-API-User" },
      accessToken: { type: "apiKey", in: "header", name: "Authorization" },
      apiToken: { type: "http", scheme: "bearer" },
    });
    for (const { line, row } of rows.filter(({ row }) => ["user", "admin", "root"].includes(row.access))) {
      const { security, responses } = find(line);
      expect(
        security.map((way) => Object.keys(way).sort()),
        line,
      ).toEqual([["session", "userId"], ["accessToken"]]);
      expect(Object.keys(responses), line).toEqual(expect.arrayContaining(["401", "429", "500", "503"]));
      if (row.body) expect(Object.keys(responses), line).toContain("413");
    }
    for (const { line, operation } of operations.filter(({ path }) => path.startsWith("/v1")))
      expect([line, operation.security, Object.keys(operation.responses)]).toEqual([
        line,
        [{ apiToken: [] }],
        [line === "GET /v1/realtime" ? "101" : "200", "431", "default"],
      ]);
  });

  test("every operation has answers, known tags and known kinds of sign-in, and GET has no body", () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { line, operation } of operations) {
      expect(Object.keys(operation.responses).length, line).toBeGreaterThan(0);
      expect(operation.tags.every((tag) => tags.has(tag))).toBe(true);
      const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
      expect(schemes.every((scheme) => scheme in document.components.securitySchemes)).toBe(true);
      expect(operation.summary, line).not.toBe(line);
      if (line.startsWith("GET ")) expect(operation.requestBody, line).toBeUndefined();
    }
  });

  test("every reference leads somewhere, and the whole is plain JSON", () => {
    const text = JSON.stringify(document);
    const references = [...text.matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, path = ""]) => path.split("/"));
    expect(references.length).toBeGreaterThan(0);
    for (const [kind = "", name = ""] of references) {
      expect(document.components[kind as "schemas"][name], `${kind}/${name}`).toBeDefined();
    }
    expect(text).not.toContain("undefined");
    expect(JSON.parse(text)).toEqual(document);
  });

  test("parameters and bodies are those that the calls are read with", () => {
    const search = find("GET /api/channel/search").parameters?.map(({ name }) => name);
    expect(search).toEqual(expect.arrayContaining(["keyword", "group", "model", "id_sort", "tag_mode"]));
    const page = find("GET /api/log").parameters?.find(({ name }) => name === "start_timestamp");
    expect(page).toMatchObject({ in: "query", required: false, schema: { type: "integer" } });
    const body = find("POST /pg/chat/completions").requestBody?.content["application/json"]?.schema as {
      properties: object;
    };
    expect(Object.keys(body.properties)).toEqual(
      expect.arrayContaining(["messages", "stream", "model", "group", "max_tokens", "temperature"]),
    );
    expect(find("GET /api/option")["x-access"]).toBe("root");
    expect(find("GET /api/status").security).toEqual([]);
  });
});
