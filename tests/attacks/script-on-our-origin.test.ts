// The relay has the console's origin. An upstream, which any administrator may name, answers with a page; a link, a frame or
// a form of another site, opened by root, carries a key in its address. No script may run there with root's session:
// answers have a type from a list and headers against it, and browsers cannot open them.

import { readdirSync, readFileSync } from "node:fs";
import { createServer, request as httpRequest, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { safeContentType } from "@/lib/relay/http/browsers";
import { operations } from "@/lib/relay/operations";
import { setUpRelay } from "../relay/harness";

const relay = setUpRelay({ prices: "page,tts-1" });
/** In a prompt: how the upstream is to answer. */
const order = (type: string, status: number): string => `<<${type}|${status}>>`;
const ORDER = /<<(.*?)\|(\d+)>>/;
const PAGE = "<script>fetch('/api/token/')</script>";
let upstream: Server;
let key: string;

const chat = (text: string) => ({
  id: "1",
  object: "chat.completion",
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: text } }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const claude = (text: string) => ({
  id: "1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
});
const gemini = (text: string) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});
const response = (text: string) => ({
  id: "resp_1",
  object: "response",
  status: "completed",
  output: [
    {
      type: "message",
      id: "m",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    },
  ],
  usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
});
const answers: Record<string, unknown> = {
  "/v1/chat/completions": chat(PAGE),
  "/v1/messages": claude(PAGE),
  "/v1/responses": response(PAGE),
  "/v1/embeddings": { object: "list", data: [{ index: 0, embedding: [1], text: PAGE }], usage: { prompt_tokens: 1 } },
};

beforeAll(async () => {
  upstream = createServer(async (request, reply) => {
    const { pathname } = new URL(request.url ?? "/", "http://upstream");
    const [, contentType = "application/json", status = "200"] = ORDER.exec(await text(request)) ?? [];
    const body = pathname === "/v1/audio/speech" ? PAGE : JSON.stringify(answers[pathname] ?? gemini(PAGE));
    const isError = status !== "200";
    reply.writeHead(Number(status), { "content-type": contentType }).end(isError ? PAGE : body);
  });
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const types = [
    ["page-openai", CHANNEL_TYPE.openai],
    ["page-claude", CHANNEL_TYPE.anthropic],
    ["page-gemini", CHANNEL_TYPE.gemini],
    ["tts-1", CHANNEL_TYPE.openai],
  ] as const;
  for (const [models, type] of types) await relay.addChannel({ type, baseUrl, models });
  await relay.setPrices("page-openai,page-claude,page-gemini,tts-1");
  await relay.inForce();
  key = (await relay.addCaller()).token.key;
});
afterAll(async () => {
  upstream.closeAllConnections();
  await new Promise((done) => upstream.close(done));
});

const messages = (content: string) => [{ role: "user", content }];
const calls: Record<string, [path: string, body: (prompt: string) => object]> = {
  "a conversation": ["/v1/chat/completions", (text) => ({ model: "page-openai", messages: messages(text) })],
  "a conversation in Anthropic's format": [
    "/v1/messages",
    (text) => ({ model: "page-claude", max_tokens: 5, messages: messages(text) }),
  ],
  "a conversation in Google's format": [
    "/v1beta/models/page-gemini:generateContent",
    (text) => ({ contents: [{ role: "user", parts: [{ text }] }] }),
  ],
  "a response": ["/v1/responses", (input) => ({ model: "page-openai", input })],
  embeddings: ["/v1/embeddings", (input) => ({ model: "page-openai", input })],
  "a translated conversation": ["/v1/chat/completions", (text) => ({ model: "page-claude", messages: messages(text) })],
  "a stream": ["/v1/chat/completions", (text) => ({ model: "page-openai", stream: true, messages: messages(text) })],
  "a sound": ["/v1/audio/speech", (input) => ({ model: "tts-1", input, voice: "alloy" })],
};

/** fetch of Node writes Sec-Fetch-Mode itself, so requests are sent by hand. */
function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  body = "",
): Promise<{ answer: IncomingMessage; text: string }> {
  return new Promise((done, fail) => {
    const asked = httpRequest(`${relay.url}${path}`, { method, headers }, (answer) => {
      let text = "";
      answer
        .setEncoding("utf8")
        .on("data", (part) => {
          text += part;
        })
        .once("end", () => done({ answer, text }));
    });
    asked.once("error", fail).end(body);
  });
}

const HARMLESS =
  /^(application\/(json|octet-stream)|text\/(plain|event-stream)|(audio|video|image)\/(?!.*(svg|xml|html)))[^,]*$/;

function expectNoPage({ headers }: IncomingMessage): void {
  expect(headers["content-type"]).toMatch(HARMLESS);
  expect(headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
  });
}

const HOSTILE = [
  "text/html",
  "TEXT/HTML; charset=utf-8",
  "image/svg+xml",
  "application/xhtml+xml",
  "text/xml",
  "application/json, text/html",
  "audio/mpeg, text/html",
  "application/javascript",
  "audio/svg+xml",
];

test.each(Object.entries(calls))(
  "%s is never shown as a page, whatever the upstream calls it",
  async (_name, [path, body]) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const orders = HOSTILE.flatMap((type) => [order(type, 200), order(type, 400)]);
    const sent = await Promise.all(orders.map((prompt) => send("POST", path, headers, JSON.stringify(body(prompt)))));
    for (const { answer } of sent) expectNoPage(answer);
  },
);

test.each([
  ["application/json", "application/json"],
  ["application/json; charset=utf-8", "application/json; charset=utf-8"],
  ["audio/L16;codec=pcm;rate=24000", "audio/L16;codec=pcm;rate=24000"],
  ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', 'video/mp4; codecs="avc1.42E01E, mp4a.40.2"'],
  ["image/png", "image/png"],
  ["application/x-ndjson", "application/x-ndjson"],
  ["application/jsonl", "application/jsonl"],
  ["application/problem+json", "application/problem+json"],
  ["text/event-stream; charset=utf-8", "text/event-stream; charset=utf-8"],
  ["text/vtt", "text/plain"],
  ["text/html", "text/plain"],
  ["text/css", "text/plain"],
  ["text/html, application/json", "text/plain"],
  ["application/pdf", "application/octet-stream"],
  ["image/svg+xml", "application/octet-stream"],
  ["multipart/x-mixed-replace; boundary=x", "application/octet-stream"],
  ["application/json, text/html", "application/octet-stream"],
  ["image/png\u00e9", "application/octet-stream"],
  ["", "application/octet-stream"],
])("the type %j goes out as %j", (given, sent) => expect(safeContentType(given)).toBe(sent));

/** The first argument's end does not matter: what follows each call up to its last parenthesis. */
function headWrites(): { file: string; code: string }[] {
  const files = readdirSync("lib/relay", { recursive: true, encoding: "utf8" }).filter((file) =>
    /(?<!\.test)\.ts$/.test(file),
  );
  return files.flatMap((file) =>
    readFileSync(join("lib/relay", file), "utf8")
      .split(/\.writeHead\(/)
      .slice(1)
      .map((rest) => ({ file, code: rest.slice(0, endOfCall(rest)) })),
  );
}

function endOfCall(code: string): number {
  let depth = 1;
  for (let at = 0; at < code.length; at++) {
    if (code[at] === "(") depth += 1;
    else if (code[at] === ")" && --depth === 0) return at;
  }
  return code.length;
}

test("every head of an answer that the relay writes is made by the one function that checks its type", () => {
  const writes = headWrites();
  expect(writes.length).toBeGreaterThan(5);
  expect(writes.filter(({ code }) => !code.includes("head("))).toEqual([]);
  expect(writes.filter(({ code }) => /["']?content-type/i.test(code))).toEqual([]);
});

const navigations: Record<string, Record<string, string>> = {
  "a link or a form of another site": {
    "sec-fetch-site": "cross-site",
    "sec-fetch-mode": "navigate",
    "sec-fetch-dest": "document",
  },
  "an address typed in": { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
  "a frame": { "sec-fetch-site": "same-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
  "an embedded object": { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "object" },
  "a browser that was asked without TLS": { "upgrade-insecure-requests": "1" },
};

const PATTERNED = [
  "/v1beta/models/m:generateContent",
  "/v1/engines/m/embeddings",
  "/v1beta/models/m:embedContent",
  "/mj/submit/imagine",
  "/suno/submit/music",
  "/kling/v1/videos/text2video",
  "/v1beta/models/m:predictLongRunning",
];

/** A path of each place where an operation is served. */
const places = operations.flatMap(({ endpoints }) =>
  endpoints.map(
    ({ method, path }) => [method, typeof path === "string" ? path : PATTERNED.find((one) => path.test(one))] as const,
  ),
);

test("each pattern of an operation has a path here", () =>
  expect(places.filter(([, path]) => path === undefined)).toEqual([]));

describe.each(Object.entries(navigations))("%s", (_name, headers) => {
  test("gets an error from every address of the relay, with the key in it", async () => {
    const pages = [
      "/v1/models",
      "/v1beta/models",
      "/v1/files/file-1/content",
      "/v1/videos/x/content",
      "/dashboard/billing/usage",
      "/v1",
      "/v1/nothing",
    ];
    for (const [method, path] of [...places, ...pages.map((page) => ["GET", page] as const)]) {
      const { answer, text } = await send(method, `${path}?key=${key}`, headers, method === "GET" ? "" : "x={}");
      expect([path, answer.statusCode, text]).toEqual([path, 403, expect.stringContaining("a browser cannot open it")]);
      expectNoPage(answer);
    }
  });
});

describe("a form that is posted from another site by a browser without Sec-Fetch-Mode", () => {
  test.each(["application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])(
    "as %s is refused",
    async (type) => {
      const headers = { origin: "https://evil.example", "content-type": type };
      const { answer } = await send("POST", `/v1beta/models/page-gemini:generateContent?key=${key}`, headers, "{}");
      expect(answer.statusCode).toBe(403);
    },
  );
});

describe("what must go on working", () => {
  const google = "/v1beta/models/page-gemini:generateContent";
  const body = JSON.stringify(calls["a conversation in Google's format"]?.[1]("hi"));
  test.each<[string, Record<string, string>, string]>([
    ["a program with the key in the address", { "content-type": "application/json" }, "?key="],
    ["a program that says no type", {}, "?key="],
    ["curl, which calls every body a form", { "content-type": "application/x-www-form-urlencoded" }, "?key="],
    [
      "a script of another site with the key in a header",
      {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "cors",
        "sec-fetch-dest": "empty",
        origin: "https://app.example",
        "content-type": "text/plain",
        "x-goog-api-key": "KEY",
      },
      "",
    ],
    [
      "a script of another site with the key in the address",
      {
        "sec-fetch-site": "cross-site",
        "sec-fetch-mode": "cors",
        "sec-fetch-dest": "empty",
        origin: "https://app.example",
        "content-type": "application/json",
      },
      "?key=",
    ],
  ])("%s", async (_who, given, query) => {
    const headers = given["x-goog-api-key"] ? { ...given, "x-goog-api-key": key } : given;
    const { answer, text } = await send("POST", google + (query && query + key), headers, body);
    expect([answer.statusCode, JSON.parse(text)]).toEqual([200, gemini(PAGE)]);
  });

  test("a drawing's picture is opened by a link to it", async () => {
    const { answer } = await send("GET", "/mj/image/nothing", navigations["a link or a form of another site"] ?? {});
    expect(answer.statusCode).toBe(404);
    expectNoPage(answer);
  });
});

test("what the gateway answers before it has read a request, and to methods that are not served, is no page", async () => {
  const raw = (text: string): Promise<string> =>
    new Promise((done) => {
      let got = "";
      const socket = connect(Number(new URL(relay.url).port), "127.0.0.1", () => socket.write(text));
      socket
        .on("data", (part) => {
          got += part;
        })
        .once("end", () => done(got))
        .on("error", () => done(got));
    });
  const host = "Host: weir\r\n";
  for (const text of [
    "nonsense\r\n\r\n",
    `GET / HTTP/1.1\r\n${host}Connection: upgrade\r\nUpgrade: x\r\n\r\n`,
    `TRACE /v1/models HTTP/1.1\r\n${host}Connection: close\r\n\r\n`,
  ])
    expect((await raw(text)).toLowerCase()).toContain("x-content-type-options: nosniff");
});
