// Anybody sends the console's API what no client would: another method than a path has, HEAD and OPTIONS, addresses that are
// none in every field that takes one, NUL in a payment notice. None may be a fault; a wrong method is told with those that the
// path has.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import * as authApi from "@/app/api/auth/[...nextauth]/route";
import * as documentApi from "@/app/api/openapi.json/route";
import { routeTables } from "@/app/api/openapi.json/tables";
import * as statusApi from "@/app/api/status/[[...path]]/route";
import * as userApi from "@/app/api/user/[[...path]]/route";
import { OUTSIDE_TABLES } from "@/lib/http/openapi/outside-tables";
import { toJsonSchema } from "@/lib/http/openapi/schema";
import type { JsonSchema } from "@/lib/http/openapi/types";
import { optionKeys } from "@/lib/option/registry";
import { call, setUpApi } from "../api/harness";

const api = setUpApi();
const limits = ["GLOBAL_API_RATE_LIMIT_ENABLE", "CRITICAL_RATE_LIMIT_ENABLE"] as const;
beforeAll(() => {
  for (const name of limits) process.env[name] = "false";
});
afterAll(() => {
  for (const name of limits) delete process.env[name];
});

type Handler = (request: Request, context: never) => Promise<Response>;
const SENT = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** Every path of the route tables, its methods, and the handler of its file. */
const paths = routeTables().flatMap(({ base, routes, handler }) =>
  [...new Set(routes.map(({ path }) => path))].map((path) => {
    const methods = routes.filter((row) => row.path === path).map(({ method }) => method);
    return { line: base + path, methods, handler: handler as unknown as Handler, path };
  }),
);

/** The methods of paths beside the one that match too, e.g. `/self` beside `/:id`, do not matter: only digits are ids. */
function send(handler: Handler, method: string, line: string, path: string): Promise<Response> {
  const request = new Request(`http://weir.example${line.replace(":id", "1")}`, { method });
  const segments = path.replace(":id", "1").split("/").filter(Boolean);
  return handler(request, { params: Promise.resolve({ path: segments, nextauth: segments }) } as never);
}

const listOf = (allow: string | null): string[] => (allow ?? "").split(", ").sort();
const allowed = (methods: readonly string[]): string[] =>
  [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].sort();

describe("a path of the API", () => {
  test.each(paths)(
    "$line refuses other methods with 405 and those that it has",
    async ({ line, methods, handler, path }) => {
      for (const method of SENT.filter((name) => !methods.some((own) => own === name))) {
        const response = await send(handler, method, line, path);
        expect([method, response.status]).toEqual([method, 405]);
        expect(listOf(response.headers.get("allow"))).toEqual(allowed(methods));
        expect(await response.json()).toMatchObject({ success: false, error: { type: "invalid_request_error" } });
      }
      const options = await send(handler, "OPTIONS", line, path);
      expect([options.status, listOf(options.headers.get("allow"))]).toEqual([204, allowed(methods)]);
    },
  );

  test("that is not there is 404 with every method", async () => {
    for (const method of [...SENT, "OPTIONS"]) {
      const response = await send(userApi.GET as unknown as Handler, method, "/api/user/no/such", "/no/such");
      expect([method, response.status]).toEqual([method, 404]);
    }
  });

  test("answers HEAD as it answers GET", async () => {
    expect((await send(statusApi.GET as unknown as Handler, "HEAD", "/api/status", "")).status).toBe(200);
  });

  test("is reached with every method: no file leaves one to the framework, which names methods that are not there", () => {
    const root = join(process.cwd(), "app");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith("route.ts"));
    const tables = files.filter((file) => readFileSync(join(root, file), "utf8").includes("= defineRoutes("));
    expect(tables.length).toBeGreaterThan(20);
    for (const file of tables) {
      const [, names = ""] = /export const \{(.*)\} = defineRoutes/.exec(readFileSync(join(root, file), "utf8")) ?? [];
      expect([
        file,
        names
          .split(",")
          .map((name) => name.trim())
          .sort(),
      ]).toEqual([file, [...SENT, "OPTIONS"].sort()]);
    }
  });

  test("outside the tables does the same, also where next-auth has no answer", async () => {
    for (const [path, methods] of [
      ["/callback/credentials", ["POST"]],
      ["/providers", ["GET"]],
      ["/csrf", ["GET"]],
    ] as const) {
      for (const method of SENT.filter((name) => !methods.some((own) => own === name))) {
        const handler = (authApi as unknown as Record<string, Handler>)[method];
        const response = handler && (await send(handler, method, `/api/auth${path}`, path));
        expect([path, method, response?.status]).toEqual([path, method, 405]);
        expect(listOf(response?.headers.get("allow") ?? null)).toEqual(allowed(methods));
      }
    }
    const response = await documentApi.POST(new Request("http://weir.example/api/openapi.json", { method: "POST" }));
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  test("of next-auth answers no method with a fault", async () => {
    for (const { path } of OUTSIDE_TABLES.filter(({ tag }) => tag === "auth"))
      for (const method of SENT) {
        const segments = path.replace("/api/auth", "").replace("{provider}", "credentials");
        const handler = (authApi as unknown as Record<string, Handler>)[method];
        const response = handler && (await send(handler, method, `/api/auth${segments}`, segments));
        expect(response?.status, `${method} ${path}`).toBeLessThan(500);
      }
  });
});

const NO_ADDRESSES = [
  "¡§d",
  "https://[",
  "https://%",
  "http://a b",
  "//",
  "http://",
  "https://\u0000",
  "javascript:1",
  "http://:0",
];
const IS_ADDRESS = /url|addr|server|worker|link|endpoint|proxy|host|domain|webhook|callback/i;

/** What fits a schema, with the address in the fields that are meant for one. */
function fill(schema: JsonSchema, address: string, name = ""): unknown {
  const [choice] = ((schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []) as JsonSchema[]).filter(
    (one) => one.type !== "null",
  );
  if (choice) return fill(choice, address, name);
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  if (schema.type === "object") {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
    return Object.fromEntries(properties.map(([inner, value]) => [inner, fill(value, address, inner)]));
  }
  if (schema.type === "array") return [fill((schema.items ?? {}) as JsonSchema, address, name)];
  if (schema.type === "integer" || schema.type === "number") return 1;
  if (schema.type === "boolean") return false;
  return IS_ADDRESS.test(name) ? address : "a";
}

const takers = routeTables().flatMap(({ base, routes, handler }) =>
  routes.flatMap((row) => {
    if (!row.body || row.method === "GET" || base.startsWith("/pg")) return [];
    const schema = toJsonSchema(row.body);
    return IS_ADDRESS.test(JSON.stringify(schema))
      ? [{ line: `${row.method} ${base}${row.path}`, handler, schema }]
      : [];
  }),
);

test.each(takers)("$line takes no address that is none for a fault", async ({ line, handler, schema }) => {
  const [method = "", path = ""] = line.split(" ");
  const route = { [method]: handler } as unknown as Parameters<typeof call>[0];
  for (const address of NO_ADDRESSES) {
    const body = fill(schema, address);
    const { status } = await call(route, `${method} ${path.replace(":id", "1")}` as Parameters<typeof call>[1], {
      as: api.root,
      body: body as object,
    });
    expect([address, status]).toEqual([address, expect.any(Number)]);
    // Whoever is no longer signed in is asked for nothing.
    expect(status, address).not.toBe(401);
    expect(status, address).not.toBe(500);
    expect(status, address).not.toBe(503);
  }
});

test("an option that is an address is refused or does no harm: what is public goes on", async () => {
  const optionRoute = routeTables().find(({ base }) => base === "/api/option")?.handler;
  const route = { PUT: optionRoute } as unknown as Parameters<typeof call>[0];
  const keys = optionKeys().filter((key) => IS_ADDRESS.test(key));
  expect(keys.length).toBeGreaterThan(8);
  for (const key of keys)
    for (const value of NO_ADDRESSES.slice(0, 4)) {
      const answer = await call(route, "PUT /api/option", { as: api.root, body: { key, value } });
      expect([key, value, answer.status]).toEqual([key, value, expect.any(Number)]);
      expect(answer.status, `${key} ${value}`).toBeLessThan(500);
      if (answer.json?.success !== true) continue;
      expect((await send(statusApi.GET as unknown as Handler, "GET", "/api/status", "")).status).toBe(200);
      const session = await send(authApi.GET as unknown as Handler, "GET", "/api/auth/session", "/session");
      expect(session.status, `${key} ${value}`).toBeLessThan(500);
      await api.database.sql`delete from options where key = ${key}`;
    }
});

test.each(["GET", "POST"])(
  "a payment notice that cannot be read is answered in the protocol's word (%s)",
  async (method) => {
    const query = "out_trade_no=%00&sign=%00";
    const url = `http://weir.example/api/user/epay/notify?${method === "GET" ? query : "x=%00"}`;
    const request = new Request(url, method === "GET" ? {} : { method, body: query });
    const response = await userApi.GET(request, { params: Promise.resolve({ path: ["epay", "notify"] }) });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(await response.text()).toBe("fail");
  },
);
