// Anybody reads the API document and sends every call in it whatever does not fit: as a visitor, a user, an administrator
// and root. Nothing may be a fault of the server, and every answer must be one that the document describes. The cases are
// generated from the document itself; FUZZ_SEED repeats or changes them, FUZZ_ROUNDS makes more.
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import * as authApi from "@/app/api/auth/[...nextauth]/route";
import { describeApi } from "@/app/api/openapi.json/document";
import { routeTables } from "@/app/api/openapi.json/tables";
import { documentPath } from "@/lib/http/openapi/naming";
import type { JsonSchema, Operation } from "@/lib/http/openapi/types";
import { fromElsewhere } from "../api/account-harness";
import { HOSTILE_BODIES, HOSTILE_TEXTS, HOSTILE_VALUES } from "../api/fuzz-values";
import { type Person, setUpApi, signInAs } from "../api/harness";

const SEED = Number(process.env.FUZZ_SEED ?? 1);
const ROUNDS = Number(process.env.FUZZ_ROUNDS ?? 1);
/** A round takes about ten seconds; a busy machine needs more. */
const LIMIT_MS = 90_000 * ROUNDS;

/** These would ask other services, whose answers are not ours to describe; tests/api/channel-upstream.test.ts has them. */
const ASKS_OTHERS = /^\w+ \/api\/channel\/(test|update_balance|fetch_models)/;

const api = setUpApi();
const document = describeApi({ title: "Weir", serverUrl: "https://weir.example" }, "en");
const limits = ["GLOBAL_API_RATE_LIMIT_ENABLE", "CRITICAL_RATE_LIMIT_ENABLE"] as const;

type Handler = (request: Request, context: never) => Promise<Response>;
type Target = { line: string; method: string; path: string; operation: Operation; handler: Handler; depth: number };
type Case = { who: Person | null; url: string; init: RequestInit; segments: string[] };

const handlers = new Map<string, Handler>();
for (const { base, routes, handler } of routeTables())
  for (const row of routes)
    handlers.set(`${row.method} ${documentPath(base, row.path)}`, handler as unknown as Handler);
const AUTH = authApi as unknown as Record<string, Handler>;

/** How many parts of a path come before the one that its route handler reads. */
function depthOf(path: string): number {
  if (path === "/pg/chat/completions") return 4;
  return path.startsWith("/pg/") ? 2 : 3;
}

const targets: Target[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([name, operation]) => {
    const method = name.toUpperCase();
    const line = `${method} ${path}`;
    const handler = path.startsWith("/api/auth/") ? AUTH[method] : handlers.get(line);
    return handler && !ASKS_OTHERS.test(line) ? [{ line, method, path, operation, handler, depth: depthOf(path) }] : [];
  }),
);

/** A small generator of numbers between 0 and 1, so that a seed repeats every case. */
function randomBy(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
const random = randomBy(SEED);
const oneOf = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;

/** Mostly what the schema wants, now and then something else. */
function valueFor(schema: JsonSchema): unknown {
  if (random() < 0.25) return oneOf(HOSTILE_VALUES);
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
  if (choices) return valueFor(oneOf(choices));
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return oneOf(schema.enum);
  switch (schema.type) {
    case "object":
      return objectFor(schema);
    case "array":
      return Array.from({ length: Math.floor(random() * 3) }, () => valueFor((schema.items ?? {}) as JsonSchema));
    case "integer":
    case "number":
      return oneOf([0, 1, 2, 3, -1, 2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER, 1.5]);
    case "boolean":
      return random() < 0.5;
    default:
      return oneOf(["", "a", "default", "1", "x".repeat(300), "https://", "name@weir.example", "\ud83d\ude00"]);
  }
}

function objectFor(schema: JsonSchema): Record<string, unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  const kept = properties.filter(() => random() < 0.8);
  return Object.fromEntries(kept.map(([name, inner]) => [name, valueFor(inner)]));
}

function textFor(schema: JsonSchema): string {
  if (random() < 0.4) return oneOf(HOSTILE_TEXTS);
  const value = valueFor(schema);
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return encodeURIComponent(Buffer.from(text.slice(0, 300)).toString());
}

const PATH_VALUES = ["1", "2", "3", "0", "-1", "2147483648", "99999999999", "x", "github", "%00", "1.5"];

function caseFor({ method, path, operation, depth }: Target, who: Person | null): Case {
  const parameters = operation.parameters ?? [];
  const filled = path.replace(/\{\w+\}/g, () => oneOf(PATH_VALUES));
  const query = parameters
    .filter((one) => one.in === "query" && random() < 0.7)
    .map(({ name, schema }) => `${name}=${textFor(schema)}`);
  if (path.startsWith("/api/auth/")) query.push(`callbackUrl=${oneOf(["", "x", "//", "javascript:a", "%25", "/a"])}`);
  const headers = new Headers(fromElsewhere());
  if (who && random() < 0.8) headers.set("cookie", who.cookie);
  else if (who) headers.set("authorization", who.accessToken);
  if (who) headers.set("new-api-user", String(who.id));
  const content = operation.requestBody?.content ?? {};
  const json = content["application/json"]?.schema ?? Object.values(content)[0]?.schema;
  const body = method === "GET" || !json ? undefined : bodyFor(json, content);
  return {
    who,
    url: `http://weir.example${filled}${query.length > 0 ? `?${query.join("&")}` : ""}`,
    init: { method, headers, ...(body === undefined ? {} : { body }) },
    segments: filled.split("/").slice(depth).filter(Boolean).map(decodeSegment),
  };
}

function decodeSegment(segment: string): string {
  return segment === "%00" ? "\u0000" : segment;
}

function bodyFor(schema: JsonSchema, content: object): string {
  if (random() < 0.1) return oneOf(HOSTILE_BODIES.filter((body) => body.length < 500_000));
  const value = valueFor(schema);
  const isForm = "application/x-www-form-urlencoded" in content && typeof value === "object" && value !== null;
  return isForm
    ? new URLSearchParams(Object.entries(value).map(([name, inner]) => [name, JSON.stringify(inner) ?? ""])).toString()
    : JSON.stringify(value);
}

const readers = new Map<string, z.ZodType>();
const { schemas, responses } = document.components;
const $defs = JSON.parse(withinDefinitions(schemas));

function withinDefinitions(value: unknown): string {
  return JSON.stringify(value).replaceAll("#/components/schemas/", "#/$defs/");
}

/** The schema of a described answer; null for one whose content is not described, undefined for an undescribed status. */
function describedBy({ operation }: Target, status: number): z.ZodType | null | undefined {
  const listed = operation.responses[status] ?? operation.responses.default;
  if (!listed) return undefined;
  const response = listed && "$ref" in listed ? responses[listed.$ref.split("/").at(-1) ?? ""] : listed;
  const schema = response && "content" in response ? response.content?.["application/json"]?.schema : undefined;
  if (!schema) return null;
  // Many calls have the same answer, above all that of a refusal.
  const key = withinDefinitions(schema);
  const known = readers.get(key) ?? z.fromJSONSchema({ ...JSON.parse(key), $defs });
  readers.set(key, known);
  return known;
}

/** Cases sign people out, ban and delete them; this makes them what they were. */
async function restore(person: Person, role: number): Promise<void> {
  const { sql } = api.database;
  await sql`
    update users set role = ${role}, status = 1, deleted_at = null, username = ${person.username},
      access_token_hash = encode(sha256(${person.accessToken}::bytea), 'hex') where id = ${person.id}`;
  person.cookie = await signInAs(api.database, person.id);
}

/** What is wrong with an answer; null for nothing. */
function faultOf(target: Target, response: Response, text: string): string | null {
  if (response.status === 500 || response.status === 503) return "a fault";
  const reader = describedBy(target, response.status);
  if (reader === undefined) return "its status is not described";
  const isJson = (response.headers.get("content-type") ?? "").includes("application/json");
  if (!reader || !isJson) return null;
  const issue = reader.safeParse(JSON.parse(text)).error?.issues[0];
  return issue ? `its content is not as described: ${JSON.stringify(issue).slice(0, 300)}` : null;
}

/** Sends a case; returns the status, and a report when the answer is wrong. */
async function send(target: Target, given: Case): Promise<{ status: number; report: string | null }> {
  const params = target.path.startsWith("/api/auth/") ? { nextauth: given.segments } : { path: given.segments };
  const response = await target.handler(new Request(given.url, given.init), {
    params: Promise.resolve(params),
  } as never);
  const text = await response.text();
  const fault = faultOf(target, response, text);
  const { status } = response;
  if (!fault) return { status, report: null };
  const sent = `${given.who?.username ?? "nobody"} ${given.url.slice(18, 300)} ${String(given.init.body ?? "").slice(0, 300)}`;
  return { status, report: `${target.line} ${status}: ${fault}\n  ${sent}\n  ${text.slice(0, 300)}` };
}

beforeAll(() => {
  for (const name of limits) process.env[name] = "false";
});
afterAll(() => {
  for (const name of limits) delete process.env[name];
});

test.each(Array.from({ length: ROUNDS }, (_, round) => round))(
  `round %i of the cases from seed ${SEED}: no fault, and no answer that the document does not describe`,
  async () => {
    const { alice, admin, root } = api;
    const people: [Person | null, number][] = [
      [null, 0],
      [alice, 1],
      [admin, 10],
      [root, 100],
    ];
    const reports: string[] = [];
    for (const target of targets)
      for (const [who, role] of people) {
        const { status, report } = await send(target, caseFor(target, who));
        if (report) reports.push(report);
        if (who && (status === 401 || target.method !== "GET")) await restore(who, role);
      }
    expect(reports).toEqual([]);
    expect(targets.length).toBeGreaterThan(90);
  },
  LIMIT_MS,
);

test.each(["callbackUrl=x", "callbackUrl=%25", "callbackUrl=javascript:a", "callbackUrl=//"])(
  "a callback address that is none is left out by next-auth's calls: %s",
  async (query) => {
    for (const path of ["signin", "signout", "providers", "csrf", "session", "error"]) {
      const cookie = "next-auth.callback-url=%25; __Secure-next-auth.callback-url=x";
      const request = new Request(`http://weir.example/api/auth/${path}?${query}`, { headers: { cookie } });
      const response = await AUTH.GET?.(request, { params: Promise.resolve({ nextauth: [path] }) } as never);
      expect(response?.status, path).toBeLessThan(500);
    }
  },
);

test("an id beyond the database's integers is malformed, not a fault", async () => {
  const handler = handlers.get("PUT /api/channel");
  const headers = { cookie: await signInAs(api.database, api.root.id), "new-api-user": String(api.root.id) };
  for (const id of [2_147_483_648, -2_147_483_649, 2 ** 53, 1e300, 1.5]) {
    const init = { method: "PUT", headers, body: JSON.stringify({ id, name: "x" }) };
    const response = await handler?.(new Request("http://weir.example/api/channel/", init), {
      params: Promise.resolve({ path: [] }),
    } as never);
    expect([id, response?.status]).toEqual([id, 400]);
  }
});
