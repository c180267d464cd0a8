// Anybody with a key, or without one, sends calls that no client would make to every endpoint of the relay: NUL characters in
// paths, queries and bodies, no key, headers that never end. None may be a fault of the server or be told as one of the
// database, and each answer has the shape that the API document gives for the endpoint.
import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { describeApi } from "@/app/api/openapi.json/document";
import { RELAY_ENDPOINTS } from "@/lib/http/openapi/relay";
import type { JsonSchema, RelayEndpoint } from "@/lib/http/openapi/types";
import { setUpTasks } from "../relay/tasks-harness";

const MODEL = "fake-gpt";
const document = describeApi({ title: "Weir", serverUrl: "https://weir.example" }, "en");
const { schemas, responses } = document.components;
const { relay } = setUpTasks({ ModelRatio: JSON.stringify({ [MODEL]: 1 }) });
let key: string;

beforeAll(async () => {
  await relay.addChannel({ models: MODEL });
  await relay.inForce();
  key = (await relay.addCaller()).token.key;
});

/** An endpoint's values with a NUL in every text but the model's name. */
function withNul(schema: JsonSchema, name = ""): unknown {
  if (name === "model") return MODEL;
  const [choice] = (schema.oneOf ?? schema.anyOf ?? []) as JsonSchema[];
  if (choice) return withNul(choice);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  switch (schema.type) {
    case "object":
      return Object.fromEntries(properties.map(([inner, value]) => [inner, withNul(value, inner)]));
    case "array":
      return [withNul((schema.items ?? {}) as JsonSchema)];
    case "integer":
    case "number":
      return 1;
    case "boolean":
      return false;
    default:
      return "a\u0000b";
  }
}

const NUL = "a%00b";
const isSocket = ({ path }: RelayEndpoint) => path === "/v1/realtime";
const lines = RELAY_ENDPOINTS.filter((endpoint) => !isSocket(endpoint));
const title = ({ method, path }: RelayEndpoint) => `${method} ${path}`;

test.each(lines.map((endpoint) => [title(endpoint), endpoint] as const))(
  "%s with NUL wherever a text can be is no fault",
  async (_title, { method, path, body, form }) => {
    const url = `${relay.url}${path.replace(/\{\w+\}/g, NUL)}?after=${NUL}&limit=${NUL}&model=${NUL}`;
    const authorization = `Bearer ${key}`;
    const value = body && withNul(body);
    const json = { headers: { authorization, "content-type": "application/json" }, body: JSON.stringify(value) };
    const fields = new FormData();
    for (const [name, text] of Object.entries((value ?? {}) as object)) fields.append(name, String(text));
    const sent = value
      ? form === "only"
        ? { headers: { authorization }, body: fields }
        : json
      : { headers: { authorization } };
    const response = await fetch(url, { method, ...sent });
    const text = await response.text();
    expect(text).not.toContain("database_away");
    expect(text).not.toContain("internal_error");
    // Upstreams that do not offer an endpoint answer so.
    if (response.status >= 500) expect(text).toMatch(/no available channel|upstream/i);
  },
);

function readerOf(endpoint: RelayEndpoint, status: number): z.ZodType {
  const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
  const listed = operation?.responses[status] ?? operation?.responses.default;
  const response = listed && "$ref" in listed ? responses[listed.$ref.split("/").at(-1) ?? ""] : listed;
  const schema = response && "content" in response ? response.content?.["application/json"]?.schema : undefined;
  if (!schema) throw new Error(`${title(endpoint)} ${status} is not described`);
  const text = JSON.stringify({ ...schema, $defs: schemas }).replaceAll("#/components/schemas/", "#/$defs/");
  return z.fromJSONSchema(JSON.parse(text));
}

test.each(lines.map((endpoint) => [title(endpoint), endpoint] as const))(
  "what %s answers without a key, and to a body that is none, is as the document says",
  async (_title, endpoint) => {
    const { method, path, body } = endpoint;
    const url = relay.url + path.replace(/\{\w+\}/g, "unknown");
    const calls = [{ method }, ...(body ? [{ method, headers: { authorization: `Bearer ${key}` }, body: "{" }] : [])];
    for (const call of calls) {
      const response = await fetch(url, call);
      expect(response.status).toBeGreaterThanOrEqual(400);
      expect(readerOf(endpoint, response.status).safeParse(await response.json()).error).toBeUndefined();
    }
  },
);

test("headers that are too large are answered 431, as the document says of every endpoint", async () => {
  const text = await new Promise<string>((resolve, reject) => {
    let answer = "";
    const socket = connect(Number(new URL(relay.url).port), "127.0.0.1", () =>
      socket.write(`GET /v1/models HTTP/1.1\r\nHost: a\r\nX-Long: ${"x".repeat(100_000)}\r\n\r\n`),
    );
    socket.on("data", (piece) => {
      answer += piece;
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", reject);
  });
  expect(text).toMatch(/^HTTP\/1.1 431 /);
  const body = JSON.parse(text.slice(text.indexOf("\r\n\r\n") + 4));
  for (const endpoint of lines) expect(readerOf(endpoint, 431).safeParse(body).error).toBeUndefined();
});
