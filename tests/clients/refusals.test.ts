import { request as ask, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { REFUSALS, type RefusalName } from "@/lib/relay/base/refusals/refusal-table";
import { tellRefusal } from "@/lib/relay/base/refusals/tell-refusal";
import { RelayError } from "@/lib/relay/base/relay-error";
import { dialects } from "@/lib/relay/wire/dialects";
import { setUpRelay } from "../relay/harness";
import { REFUSING_SET_UP, type RefusedAs, STATES } from "./refusal-states";

const relay = setUpRelay(REFUSING_SET_UP);
/** Requests by key, between the clients and the gateway. */
const counts = new Map<string, number>();
/** Refuses each key by the row of the table that it names. */
let table: Server;
let proxy: Server;
const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const listening = (server: Server): Promise<Server> =>
  new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));

function keyOf(headers: NodeJS.Dict<string | string[]>): string {
  const given = headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers.authorization ?? "";
  return String(given).replace("Bearer ", "");
}

function dialectOf(path: string): string {
  if (path.startsWith("/v1/messages")) return "anthropic-messages";
  if (path.startsWith("/v1beta")) return "gemini-generate-content";
  return path.startsWith("/v1/responses") ? "openai-responses" : "openai-chat";
}

beforeAll(async () => {
  proxy = await listening(
    createServer((request, response) => {
      const key = keyOf(request.headers);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const { method, headers, url = "" } = request;
      const sent = ask(`${relay.url}${url}`, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(sent);
    }),
  );
  table = await listening(
    createServer((request, response) => {
      const key = keyOf(request.headers);
      counts.set(key, (counts.get(key) ?? 0) + 1);
      const dialect = dialectOf(request.url ?? "");
      const { headers } = request;
      const refused = new RelayError(key.split(".")[0] as RefusalName, "refused");
      const asker = { headers, dialect, id: "r1", serverAddress: "" };
      const { status, error, headers: own, terms, id } = tellRefusal(refused, asker);
      const body = dialects.get(dialect)?.client?.renderError(error, status, id, terms);
      request.resume().on("end", () => {
        response.writeHead(status, { "content-type": "application/json", ...own }).end(JSON.stringify(body));
      });
    }),
  );
});
afterAll(() => {
  proxy?.close();
  table?.close();
});

type Asking = Pick<RefusedAs, "key" | "model"> & { text?: string };

/** The official clients, with the settings that they come with. */
const CLIENTS: Readonly<Record<string, (base: string, asking: Asking) => Promise<unknown>>> = {
  "OpenAI's chat completions": (base, { key, model, text = "hello" }) =>
    new OpenAI({ apiKey: key, baseURL: `${base}/v1` }).chat.completions.create({
      model,
      messages: [{ role: "user", content: text }],
    }),
  "OpenAI's responses": (base, { key, model, text = "hello" }) =>
    new OpenAI({ apiKey: key, baseURL: `${base}/v1` }).responses.create({ model, input: text }),
  "Anthropic's messages": (base, { key, model, text = "hello" }) =>
    new Anthropic({ apiKey: key, baseURL: base }).messages.create({
      model,
      max_tokens: 50,
      messages: [{ role: "user", content: text }],
    }),
  "Google's generateContent": (base, { key, model, text = "hello" }) =>
    new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: base } }).models.generateContent({ model, contents: text }),
};

const failureOf = (asking: Promise<unknown>): Promise<Error & { status?: number }> =>
  asking.then(
    () => new Error("it was served"),
    (error: Error) => error,
  );

describe.each(Object.entries(CLIENTS))("a caller of %s", (name, client) => {
  test("reads once why it is refused, in every state that waiting does not mend", async () => {
    const asked = Object.entries(STATES).map(async ([state, { make, says, ...wanted }]) => {
      const asking = await make(relay);
      counts.delete(asking.key);
      const error = await failureOf(client(urlOf(proxy), asking));
      const status = (name === "Anthropic's messages" && wanted.anthropicStatus) || wanted.status;
      expect(error.message, state).toMatch(says);
      expect([state, error.status, counts.get(asking.key)], error.message).toEqual([state, status, 1]);
    });
    await Promise.all(asked);
  });

  test("asks once for every refusal of the table that waiting does not mend", async () => {
    const never = Object.entries(REFUSALS).filter(([, { retry }]) => retry === "never");
    const asked = never.map(async ([refusal]) => {
      const key = `${refusal}.${name.replaceAll(/\W/g, "")}`;
      await failureOf(client(urlOf(table), { key, model: "m" }));
      return [refusal, counts.get(key)];
    });
    expect(await Promise.all(asked)).toEqual(never.map(([refusal]) => [refusal, 1]));
  });
});

const HEADERS = { "content-type": "application/json" };
const PATHS: readonly (readonly [name: string, path: (model: string) => string, key: string, body: object])[] = [
  ["chat completions", () => "/v1/chat/completions", "authorization", { messages: [{ role: "user", content: "hi" }] }],
  ["responses", () => "/v1/responses", "authorization", { input: "hi" }],
  ["messages", () => "/v1/messages", "x-api-key", { max_tokens: 9, messages: [{ role: "user", content: "hi" }] }],
  [
    "generateContent",
    (model) => `/v1beta/models/${model}:generateContent`,
    "x-goog-api-key",
    { contents: [{ parts: [{ text: "hi" }] }] },
  ],
  ["embeddings", () => "/v1/embeddings", "authorization", { input: "hi" }],
  ["pictures", () => "/v1/images/generations", "authorization", { prompt: "hi" }],
  ["speech", () => "/v1/audio/speech", "authorization", { input: "hi", voice: "alloy" }],
  ["reranking", () => "/v1/rerank", "authorization", { query: "hi", documents: ["a"] }],
  ["moderations", () => "/v1/moderations", "authorization", { input: "hi" }],
  ["videos", () => "/v1/videos", "authorization", { prompt: "hi" }],
];

const IN_CHINESE: Readonly<Record<string, RegExp>> = {
  "wrong key": /无效/,
  "expired key": /过期/,
  "banned user": /封禁/,
  "address not allowed": /不允许从此地址/,
  "unknown model": /不存在/,
};

describe.each(PATHS)("a refusal of %s", (_name, path, header, body) => {
  const send = ({ key, model }: RefusedAs, language?: string) =>
    fetch(`${relay.url}${path(model)}`, {
      method: "POST",
      headers: { ...HEADERS, [header]: key, ...(language ? { "accept-language": language } : {}) },
      body: JSON.stringify({ model, ...body }),
    });

  test("tells programs not to ask again, and people why in their language", async () => {
    for (const [state, says] of Object.entries(IN_CHINESE)) {
      const asking = await (STATES[state] as (typeof STATES)[string]).make(relay);
      const answers = await Promise.all([send(asking), send(asking, "zh-CN,zh;q=0.9"), send(asking, "de")]);
      const texts = await Promise.all(answers.map((answer) => answer.text()));
      for (const [at, { headers }] of answers.entries()) {
        expect(headers.get("x-should-retry"), texts[at]).toBe("false");
        expect([headers.get("retry-after"), headers.get("retry-after-ms")]).toEqual([null, null]);
        expect(headers.get("link")).toMatch(/^<\/errors#\w+>; rel="help"$/);
      }
      expect(texts[1]).toMatch(says);
      for (const text of [texts[0], texts[2]]) expect(text).not.toMatch(/\p{Script=Han}/u);
    }
  });
});
