// A request names a thing twice: {"model": "cheap", "Model": "dear"}, the same name again, with ſ for s, with an escape.
// Readers of JSON disagree about what counts: some take the first, some the last, those written in Go any case. Every
// name that Weir reads is written in all these ways, in every object of a request of every operation. It is refused with
// 400, or what is sent says the same to every reader; never does an upstream find another request than the one that is
// judged and priced. What is the caller's own (metadata, arguments, schemas) may have any names.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { RelayError } from "@/lib/relay/base/relay-error";
import { readJson } from "@/lib/relay/operations/chat/read-json";
import type { Json } from "@/lib/relay/wire/canonical/json";
import { InvalidRequest } from "@/lib/relay/wire/canonical/wire-error";
import type { KnownNames } from "@/lib/relay/wire/dialects/common/known-names";
import { setUpRelay } from "../relay/harness";
import { callTo, SAMPLES } from "./request-samples";

/** An object as a list of its names and values, in their order. */
type Written = { pairs: [string, Value][] };
type Value = Written | Value[] | string | number | boolean | null;

const isWritten = (value: Value): value is Written => typeof value === "object" && value !== null && "pairs" in value;

function written(value: unknown): Value {
  if (Array.isArray(value)) return value.map(written);
  if (typeof value !== "object" || value === null) return value as Value;
  return { pairs: Object.entries(value).map(([name, inner]) => [JSON.stringify(name), written(inner)]) };
}

function textOf(value: Value): string {
  if (Array.isArray(value)) return `[${value.map(textOf).join(",")}]`;
  if (!isWritten(value)) return JSON.stringify(value);
  return `{${value.pairs.map(([name, inner]) => `${name}:${textOf(inner)}`).join(",")}}`;
}

/** Every object of a request that Weir reads, with a way to write the request with other pairs in it. */
function placesIn(
  value: Value,
  names: KnownNames,
  rest: (value: Value) => Value,
): { object: Written; withPairs: (pairs: Written["pairs"]) => Value }[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => placesIn(item, names, (changed) => rest(value.with(i, changed))));
  }
  if (!isWritten(value)) return [];
  const inner = value.pairs.flatMap(([name, one], i) => {
    if (names.known.get(JSON.parse(name))?.under !== "fields") return [];
    return placesIn(one, names, (changed) => rest({ pairs: value.pairs.with(i, [name, changed]) }));
  });
  return [{ object: value, withPairs: (pairs) => rest({ pairs }) }, ...inner];
}

/** Other ways to write a name, as JSON. */
function spellings(name: string): string[] {
  const others = [
    name.toUpperCase(),
    name[0]?.toUpperCase() + name.slice(1),
    name.replace("s", "\u017f"),
    name.replace("k", "\u212a"),
  ];
  const escaped = name.replace(/./, (first) => `\\u${first.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [
    JSON.stringify(name),
    `"${escaped}"`,
    ...others.filter((one) => one !== name).map((one) => JSON.stringify(one)),
  ];
}

/** Reads pairs with their order, as a parser of its own. */
function parsePairs(text: string): Value {
  let at = 0;
  const space = (): void => {
    while (/\s/.test(text[at] ?? "")) at += 1;
  };
  const value = (): Value => {
    space();
    if (text[at] === "[") return list("]", value);
    if (text[at] === "{") return { pairs: list("}", pair) };
    const [literal = ""] = /^(?:"(?:[^"\\]|\\.)*"|[^,\]}\s]+)/s.exec(text.slice(at)) ?? [];
    at += literal.length;
    return JSON.parse(literal) as Value;
  };
  const pair = (): [string, Value] => {
    space();
    const name = value() as string;
    space();
    at += 1;
    return [name, value()];
  };
  const list = <Item>(end: string, item: () => Item): Item[] => {
    const items: Item[] = [];
    at += 1;
    for (space(); text[at] !== end; space()) {
      if (text[at] === ",") at += 1;
      else items.push(item());
    }
    at += 1;
    return items;
  };
  return value();
}

const patterns = new Map<KnownNames, RegExp>();

/** One of these names, in any case. */
function anyCase(names: KnownNames): RegExp {
  const known = patterns.get(names) ?? new RegExp(`^(?:${[...names.known.keys()].join("|")})$`, "iu");
  patterns.set(names, known);
  return known;
}

/** Names of one object that a reader takes for the same. JavaScript's own pattern matching folds as Unicode says. */
function ambiguities(value: Value, names: KnownNames): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => ambiguities(item, names));
  if (!isWritten(value)) return [];
  const given = value.pairs.map(([name]) => name);
  const twice = given.filter((name, i) => given.indexOf(name) !== i);
  const odd = given.filter((name) => !names.known.has(name) && anyCase(names).test(name));
  const inner = value.pairs.flatMap(([name, one]) => {
    return names.known.get(name)?.under === "fields" ? ambiguities(one, names) : [];
  });
  return [...twice, ...odd, ...inner];
}

function isRefusal(error: unknown): boolean {
  return error instanceof InvalidRequest || (error instanceof RelayError && error.status === 400);
}

test.each(SAMPLES)("$path: a plain request passes, whatever names the caller's own objects have", ({ path, json }) => {
  const call = callTo(path);
  const body = Buffer.from(JSON.stringify(json));
  expect(call.operation.read(body, call)).toMatchObject({ isStream: json.stream === true });
  expect(readJson(body, call).bytes).toBe(body);
});

test.each(SAMPLES)(
  "$path: every name, in every object and every spelling beside it, says one thing to all readers",
  ({ path, json }) => {
    const call = callTo(path);
    const { names } = call.clientDialect;
    const wrong: string[] = [];
    let tried = 0;
    for (const { object, withPairs } of placesIn(written(json), names, (value) => value)) {
      for (const name of names.known.keys()) {
        const own = object.pairs.find(([given]) => JSON.parse(given) === name);
        for (const spelling of spellings(name)) {
          const dear: [string, Value] = [spelling, "dear"];
          const orders = own
            ? [
                [...object.pairs, dear],
                [dear, ...object.pairs],
              ]
            : [[...object.pairs, dear]];
          for (const pairs of orders) {
            tried += 1;
            const text = textOf(withPairs(pairs));
            const outcome = outcomeOf(text, path);
            if (outcome !== "") wrong.push(`${spelling} in ${text.slice(0, 200)}: ${outcome}`);
          }
        }
      }
    }
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(tried).toBeGreaterThan(50);
  },
);

/** What is wrong with how a request is taken; "" = it is refused, or every reader of what is sent finds the same in it. */
function outcomeOf(text: string, path: string): string {
  const call = callTo(path);
  try {
    const { json, bytes } = readJson(Buffer.from(text), call);
    const sent = bytes.toString("utf8");
    const found = ambiguities(parsePairs(sent), call.clientDialect.names);
    if (found.length > 0) return `sent with ${found.join(", ")}`;
    return JSON.stringify(JSON.parse(sent)) === JSON.stringify(json) ? "" : "sent otherwise than it was judged";
  } catch (error) {
    if (isRefusal(error)) return "";
    throw error;
  }
}

/** The value with a note of every name that is read of it, but for one reading of each after its names were listed. */
function noted(value: unknown, names: KnownNames, into: Set<string>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const listed = new Set<string | symbol>();
  return new Proxy(value, {
    ownKeys(target) {
      for (const key of Reflect.ownKeys(target)) listed.add(key);
      return Reflect.ownKeys(target);
    },
    get(target, key) {
      const inner: unknown = Reflect.get(target, key);
      if (typeof key === "symbol" || Array.isArray(target)) {
        return typeof inner === "function" ? inner : noted(inner, names, into);
      }
      if (!listed.delete(key) && key !== "toJSON") into.add(key);
      return names.known.get(key)?.under === "callers" ? inner : noted(inner, names, into);
    },
  });
}

test.each(SAMPLES)("$path: the names that are tried are all that Weir reads", ({ path, json }) => {
  const call = callTo(path);
  const read = new Set<string>();
  const parse = JSON.parse;
  const spy = vi.spyOn(JSON, "parse").mockImplementation((text) => noted(parse(text), call.clientDialect.names, read));
  try {
    const intake = call.operation.read(Buffer.from(JSON.stringify(json)), call);
    spy.mockRestore();
    expect([...intake.words(), intake.conversation()?.conversation.opening(), intake.need]).not.toEqual([]);
  } finally {
    spy.mockRestore();
  }
  expect(read.size).toBeGreaterThan(1);
  expect([...read].filter((name) => !call.clientDialect.names.known.has(name))).toEqual([]);
});

/** An upstream as written in Go: the last name in any case counts. It answers with the model that it took. */
function startGoUpstream(): Promise<Server> {
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { pairs } = parsePairs(Buffer.concat(parts).toString("utf8")) as Written;
    const model = pairs.findLast(([name]) => /^model$/iu.test(name))?.[1];
    asked.push(String(model));
    const message = { role: "assistant", content: "hi" };
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    const choices = [{ index: 0, message, finish_reason: "stop", text: "hi" }];
    const data = [{ index: 0, embedding: [0.5], url: "https://example.com/a.png" }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "a", model, choices, data, results: [{ index: 0, relevance_score: 1 }], usage }));
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const relay = setUpRelay({ prices: "cheap,dear" });
const asked: string[] = [];
let upstream: Server;
let key: string;

beforeAll(async () => {
  upstream = await startGoUpstream();
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await relay.addChannel({ baseUrl, models: "cheap,dear" });
  ({
    token: { key },
  } = await relay.addCaller({}, { modelLimitsEnabled: true, modelLimits: "cheap" }));
  await relay.inForce();
});
afterAll(() => new Promise((done) => upstream.close(done)));

const authorization = (): Record<string, string> => ({ authorization: `Bearer ${key}` });
const MODEL_NAMES = ["Model", "MODEL", "model", "mod\\u0065l"];
const JSON_PATHS = SAMPLES.filter(
  ({ path, json }) => json.model === "cheap" && /^\/v1\/(chat|comp|emb|rer|mod|im)/.test(path),
);

test.each(JSON_PATHS)("$path: a key for one model gets no other, before or behind its own", async ({ path, json }) => {
  const { stream: _, stream_options: __, ...body } = json;
  const rest = JSON.stringify(body).slice(1);
  for (const name of MODEL_NAMES) {
    for (const text of [`{"${name}":"dear",${rest}`, `${`{${rest}`.slice(0, -1)},"${name}":"dear"}`]) {
      asked.length = 0;
      const headers = { ...authorization(), "content-type": "application/json" };
      const reply = await fetch(`${relay.url}${path}`, { method: "POST", headers, body: text });
      const outcome = [reply.status, ...asked];
      expect([[400], [200, "cheap"], [403]], `${text.slice(0, 80)}: ${await reply.text()}`).toContainEqual(outcome);
    }
  }
});

test("a form's fields: one that differs in case, is there twice, or has brackets is refused", async () => {
  const field = (name: string, value: string): string =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  for (const [name, value] of [
    ["Model", "dear"],
    ["MODEL", "dear"],
    ["model", "dear"],
    ["model[]", "dear"],
    ["N", "9"],
    ["api_base", "http://x"],
  ]) {
    asked.length = 0;
    const body = `${field("model", "cheap")}${field("prompt", "a")}${field(name ?? "", value ?? "")}--b--\r\n`;
    const headers = { ...authorization(), "content-type": "multipart/form-data; boundary=b" };
    const reply = await fetch(`${relay.url}/v1/images/generations`, { method: "POST", headers, body });
    expect([reply.status, ...asked], name).toEqual([400]);
  }
});

test("names that are the caller's own reach the upstream as they came", async () => {
  const body = { ...SAMPLES[0]?.json, stream: false, stream_options: undefined } as Json;
  const headers = { ...authorization(), "content-type": "application/json" };
  const reply = await fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  });
  expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining("cheap")]);
});
