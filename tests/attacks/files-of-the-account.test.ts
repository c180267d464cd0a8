// Who: a caller who names a file in the storage of the channel's account, by a gs:// address, a file of Google's Files API or
// the scheme of another provider, and has the model read it out: the upstream fetches it with the operator's rights.
// What must hold: in whatever dialect, operation and field it is named, the request is refused before an upstream is asked,
// unless the operator allows it for the channel. Public addresses, texts and arguments of tools are not touched by it.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { call, setUpApi } from "../api/harness";
import { setUpRelay } from "../relay/harness";

const MODEL = "gemini-2.5-flash";
const EMBEDDER = "text-embedding-004";
const relay = setUpRelay({ prices: [MODEL, EMBEDDER].join(",") });
const api = setUpApi();
let seen: string[] = [];

const candidates = [{ content: { role: "model", parts: [{ text: "The weir." }] }, finishReason: "STOP", index: 0 }];
const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };
const upstream = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += String(part);
  seen.push(text);
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ candidates, usageMetadata, totalTokens: 5, embedding: { values: [1] } }));
});
let baseUrl: string;
let key: string;

beforeAll(async () => {
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
  baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
});
afterAll(() => void upstream.close());
beforeEach(async () => {
  await relay.reset();
  seen = [];
  // A file can fill the model's window, and is reserved for: what gets past the check shall not look refused for the balance.
  key = (await relay.addCaller({ balance: 1_000_000_000 })).token.key;
});

const ADDRESSES = [
  "gs://operators-bucket/secret.pdf",
  "GS://operators-bucket/secret.pdf",
  " gs://operators-bucket/secret.pdf",
  "https://generativelanguage.googleapis.com/v1beta/files/abc",
  "HTTPS://me@GenerativeLanguage.googleapis.com:443/v1beta/files/abc",
  "https://%67enerativelanguage.googleapis.com/v1beta/files/abc",
  "https://ｇenerativelanguage.googleapis.com/v1beta/files/abc",
  "https://us-central1-aiplatform.googleapis.com/v1/x",
  "https://storage.cloud.google.com/operators-bucket/secret.pdf",
  "files/abc",
  "v1beta/files/abc",
  "s3://operators-bucket/secret.pdf",
  "oss://operators-bucket/secret.png",
  "ms://file-1",
  "mm_file://1",
  `${" ".repeat(100)}gs://operators-bucket/secret.pdf`,
  `${"\r\n\t".repeat(100)}files/abc`,
  `${" ".repeat(3_000)}https://generativelanguage.googleapis.com/v1beta/files/abc`,
  "\u{200b}gs://operators-bucket/secret.pdf",
  "g\ns://operators-bucket/secret.pdf",
];
const gemini = (verb: string, model = MODEL) => `/v1beta/models/${model}:${verb}`;
const part = (more: object) => ({ contents: [{ role: "user", parts: [more, { text: "Read it out." }] }] });
const openai = (content: unknown[]) => ({ model: MODEL, messages: [{ role: "user", content }] });
const responses = (content: unknown[]) => ({ model: MODEL, input: [{ role: "user", content }] });
const anthropic = (content: unknown[]) => ({ ...openai(content), max_tokens: 9 });

type Shape = [what: string, path: string, body: (address: string) => object];
/** Every field in which a dialect names a file. */
const SHAPES: Shape[] = [
  ["fileData", gemini("generateContent"), (fileUri) => part({ fileData: { fileUri, mimeType: "application/pdf" } })],
  ["file_data", gemini("generateContent"), (uri) => part({ file_data: { file_uri: uri, mime_type: "video/mp4" } })],
  ["a stream", gemini("streamGenerateContent"), (fileUri) => part({ fileData: { fileUri } })],
  [
    "a tool's result",
    gemini("generateContent"),
    (fileUri) => part({ functionResponse: { name: "f", response: {}, parts: [{ fileData: { fileUri } }] } }),
  ],
  [
    "the instructions",
    gemini("generateContent"),
    (fileUri) => ({ ...part({ text: "x" }), systemInstruction: { parts: [{ fileData: { fileUri } }] } }),
  ],
  [
    "parts without a list",
    gemini("generateContent"),
    (fileUri) => ({ contents: [{ role: "user", parts: { fileData: { fileUri } } }] }),
  ],
  ["counting", gemini("countTokens"), (fileUri) => part({ fileData: { fileUri } })],
  [
    "embedding",
    gemini("embedContent", EMBEDDER),
    (fileUri) => ({ content: { parts: [{ fileData: { fileUri, mimeType: "image/png" } }] } }),
  ],
  ["image_url", "/v1/chat/completions", (url) => openai([{ type: "image_url", image_url: { url } }])],
  ["image_url as a text", "/v1/chat/completions", (url) => openai([{ type: "image_url", image_url: url }])],
  ["video_url", "/v1/chat/completions", (url) => openai([{ type: "video_url", video_url: { url } }])],
  ["file_id of chat", "/v1/chat/completions", (id) => openai([{ type: "file", file: { file_id: id } }])],
  ["file_data of chat", "/v1/chat/completions", (data) => openai([{ type: "file", file: { file_data: data } }])],
  [
    "input_audio of chat",
    "/v1/chat/completions",
    (data) => openai([{ type: "input_audio", input_audio: { data, format: "wav" } }]),
  ],
  ["file_data of responses", "/v1/responses", (data) => responses([{ type: "input_file", file_data: data }])],
  [
    "input_audio of responses",
    "/v1/responses",
    (data) => responses([{ type: "input_audio", input_audio: { data, format: "wav" } }]),
  ],
  ["input_image", "/v1/responses", (url) => responses([{ type: "input_image", image_url: url }])],
  ["input_file by address", "/v1/responses", (url) => responses([{ type: "input_file", file_url: url }])],
  ["input_file by id", "/v1/responses", (id) => responses([{ type: "input_file", file_id: id }])],
  [
    "a tool's output",
    "/v1/responses",
    (url) => ({
      model: MODEL,
      input: [
        { type: "function_call", call_id: "c", name: "f", arguments: "{}" },
        { type: "function_call_output", call_id: "c", output: [{ type: "input_file", file_url: url }] },
      ],
    }),
  ],
  ["an image", "/v1/messages", (url) => anthropic([{ type: "image", source: { type: "url", url } }])],
  ["a document", "/v1/messages", (url) => anthropic([{ type: "document", source: { type: "url", url } }])],
  ["a file's id", "/v1/messages", (id) => anthropic([{ type: "document", source: { type: "file", file_id: id } }])],
  [
    "a document in a result",
    "/v1/messages",
    (url) =>
      anthropic([
        { type: "tool_result", tool_use_id: "t", content: [{ type: "document", source: { type: "url", url } }] },
      ]),
  ],
  [
    "counting at Anthropic's path",
    "/v1/messages/count_tokens",
    (url) => anthropic([{ type: "image", source: { type: "url", url } }]),
  ],
];

const ask = async (path: string, body: object) => {
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
};

const GOOGLES = [CHANNEL_TYPE.gemini, CHANNEL_TYPE.vertex];
const addChannel = (type: number, setting = "") =>
  relay.addChannel({ type, baseUrl, models: `${MODEL},${EMBEDDER}`, key: "AIza-key", other: "global", setting });

describe("a file of the account's own storage", () => {
  test("is refused in every field of every dialect, whichever way it is addressed", async () => {
    for (const type of GOOGLES) await addChannel(type);
    await relay.inForce();
    const passed: string[] = [];
    for (const [what, path, body] of SHAPES) {
      const answers = await Promise.all(
        ADDRESSES.map(async (address) => ({ address, ...(await ask(path, body(address))) })),
      );
      for (const { address, status, text } of answers) {
        // Ids that no upstream gave through Weir are refused before.
        const isRefused = status === 400 && /stored_file_not_allowed|own storage|not found/.test(text);
        if (!isRefused) passed.push(`${what} ${path} ${JSON.stringify(address.trimStart())}: ${status} ${text}`);
      }
    }
    expect(passed).toEqual([]);
    expect(seen).toEqual([]);
  });

  test("is read where the operator allows it for a channel, and only there", async () => {
    await addChannel(CHANNEL_TYPE.gemini);
    await relay.addChannel({
      ...{ type: CHANNEL_TYPE.vertex, baseUrl, models: MODEL, key: "AIza-key", other: "global", priority: -1 },
      setting: '{"allow_stored_files":true}',
    });
    await relay.inForce();
    const [address = ""] = ADDRESSES;
    const body = part({ fileData: { fileUri: address, mimeType: "application/pdf" } });
    expect((await ask(gemini("generateContent"), body)).status).toBe(200);
    expect(seen).toEqual([expect.stringContaining(address)]);
  });

  test("does not stand in public addresses, texts, and what tools say", async () => {
    await addChannel(CHANNEL_TYPE.gemini);
    await relay.inForce();
    const bodies = [
      part({ fileData: { fileUri: "https://example.com/a.pdf", mimeType: "application/pdf" } }),
      part({ fileData: { fileUri: "https://storage.googleapis.com/b/a.pdf", mimeType: "application/pdf" } }),
      part({ fileData: { fileUri: "https://www.youtube.com/watch?v=x" } }),
      part({ text: "gs://bucket/file is an address, and files/abc is one, too" }),
      part({ functionCall: { name: "f", args: { uri: "gs://bucket/a" } } }),
      part({ functionResponse: { name: "f", response: { url: "gs://bucket/a" } } }),
    ];
    for (const body of bodies) expect((await ask(gemini("generateContent"), body)).status).toBe(200);
    expect(seen).toHaveLength(bodies.length);
  });

  test("a file that Alibaba reads by an id in the instructions is one, too", async () => {
    await relay.addChannel({ type: CHANNEL_TYPE.dashscope, baseUrl, models: MODEL });
    await relay.inForce();
    const messages = [
      { role: "system", content: "fileid://file-fe-1" },
      { role: "user", content: "Read it out." },
    ];
    expect((await ask("/v1/chat/completions", { model: MODEL, messages })).status).toBe(400);
    expect(seen).toEqual([]);
  });
});

describe("who allows it", () => {
  const setting = '{"allow_stored_files":true}';
  const row = { type: 24, name: "of root", models: "m", key: "AIza-0" };

  test("an administrator only with the key of the account, root at once", async () => {
    const made = await call(channelApi, "POST /api/channel/", { as: api.root, body: row });
    expect(made.json.success).toBe(true);
    const { sql } = api.database;
    const [{ id } = { id: 0 }] = await sql<{ id: number }[]>`select max(id) as id from channels`;
    const put = async (body: object, as = api.admin) =>
      (await call(channelApi, "PUT /api/channel/", { as, body: { id, ...body } })).json;
    expect(await put({ setting })).toMatchObject({ success: false });
    expect(await sql`select setting from channels where id = ${id}`).toEqual([{ setting: "" }]);
    expect(await put({ setting, key: "AIza-1" })).toMatchObject({ success: true });
    expect(await put({ setting, name: "renamed" })).toMatchObject({ success: true });
    expect(await put({ setting: "" })).toMatchObject({ success: true });
    expect(await put({ setting }, api.root)).toMatchObject({ success: true });
  });
});
