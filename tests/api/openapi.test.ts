import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { describeApi } from "@/app/api/openapi.json/document";
import { routeTables } from "@/app/api/openapi.json/tables";
import { documentPath } from "@/lib/http/openapi/naming";
import { RELAY_ENDPOINTS } from "@/lib/http/openapi/relay";
import { apiTexts } from "@/lib/http/openapi/texts";
import type { Operation } from "@/lib/http/openapi/types";
import { findEndpoint } from "@/lib/relay/endpoints";

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

describe("the description of the interface", () => {
  test("has every folder of app/api that holds a route table", () => {
    const root = join(process.cwd(), "app", "api");
    const folders = readdirSync(root).filter((name) => existsSync(join(root, name, "[[...path]]", "route.ts")));
    const described = routeTables().flatMap(({ base }) => (base.startsWith("/api/") ? [base.slice(5)] : []));
    expect(described.sort()).toEqual(folders.sort());
  });

  test("has every row of the route tables, and no path that is not routed", () => {
    const relay = RELAY_ENDPOINTS.map(({ method, path }) => `${method} ${path}`);
    expect(operations.map(({ line }) => line).sort()).toEqual([...rows.map(({ line }) => line), ...relay].sort());
    expect(rows.length).toBeGreaterThan(100);
  });

  test("the relay answers each of its endpoints", () => {
    const kinds = RELAY_ENDPOINTS.map(({ method, path }) => {
      const request = { method, url: path.replace("{model}", "gpt-4o") } as Parameters<typeof findEndpoint>[0];
      return findEndpoint(request).kind;
    });
    expect(kinds.filter((kind) => kind === "unknown" || kind === "not-implemented")).toEqual([]);
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

  test("every operation has answers, known tags and known kinds of sign-in, and GET has no body", () => {
    const tags = new Set(document.tags.map(({ name }) => name));
    for (const { line, operation } of operations) {
      expect(Object.keys(operation.responses).length, line).toBeGreaterThan(0);
      expect(operation.tags.every((tag) => tags.has(tag))).toBe(true);
      const schemes = operation.security.flatMap((requirement) => Object.keys(requirement));
      expect(schemes.every((scheme) => scheme in document.components.securitySchemes)).toBe(true);
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
