import { connect } from "node:net";
import { GoogleGenAI } from "@google/genai";
import { describe, expect, test } from "vitest";
import { PROVIDERS, setUpDocuments } from "../documents-harness";
import { until } from "../harness";

const { openai, azure, numbers, jina, moka, cloudflare, mistral, ollama, gemini, cohere, dashscope, ernie, deepseek } =
  PROVIDERS;
const ALL = [openai, azure, numbers, jina, moka, cloudflare, mistral, ollama, gemini, cohere, dashscope] as const;
const FAULTS = ["429", "500", "cut", "empty", "error"];

const { relay, ask, rowOf, sent } = setUpDocuments(
  [
    ...ALL.map((provider) => [provider, `${provider.name}-embed`] as const),
    [ernie, "tao-8k"],
    ...FAULTS.flatMap((fault) => [[openai, `m-${fault}`] as const, [gemini, `g-${fault}`] as const]),
    [openai, "both-500"],
    [openai, "m-huge"],
    [openai, "many-silent"],
    [openai, "many-large"],
    [ollama, "both-500x"],
    [deepseek, "talker"],
    // Asked by channels that the tests add.
    [deepseek, "m-silent"],
    // A model of two channels, of which one has no embeddings.
    [deepseek, "shared"],
    [openai, "shared"],
  ],
  { UnseenDrainSeconds: "0" },
);

/** What the fakes make of these two texts. */
const TEXTS = ["hello", "hello world"];
const VECTORS = [
  [5, 0, 0.5],
  [11, 1, 0.5],
];

/** Gemini's batch reports no usage, so that it is counted: 1 and 2 tokens. */
const reported = (name: string): { prompt: number; estimated: boolean } =>
  name === "gemini" ? { prompt: 3, estimated: true } : { prompt: 14, estimated: false };

describe.each([...ALL.map(({ name }) => [name, `${name}-embed`] as const), ["ernie", "tao-8k"] as const])(
  "embeddings of %s (contract §6)",
  (name, model) => {
    test("answer OpenAI's client in numbers and in base64, charged for what is reported", async () => {
      for (const format of ["float", undefined] as const) {
        const { user, token } = await relay.addCaller();
        const asked = { model, input: TEXTS, ...(format ? { encoding_format: format } : {}) };
        const { data } = await relay.clientFor(token.key).embeddings.create(asked);
        expect(data.map(({ index }) => index).sort()).toEqual([0, 1]);
        const vectors = [...data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
        expect(vectors).toEqual(VECTORS);
        const { prompt, estimated } = reported(name);
        const row = await rowOf(user);
        expect(row).toMatchObject({ type: 2, prompt, completion: 0, quota: prompt, stream: false, model });
        expect(row?.other.estimated === true).toBe(estimated);
      }
    });

    test("have as many dimensions as the caller wants", async () => {
      if (name === "ernie") return;
      const { status, json } = await ask("/v1/embeddings", { model, input: "hello", dimensions: 4 });
      expect([status, json.data]).toMatchObject([200, [{ embedding: [5, 0, 0.5, 0.25] }]]);
    });

    test("answer Google's client and Cohere's", async () => {
      const { token } = await relay.addCaller();
      const google = new GoogleGenAI({ apiKey: token.key, httpOptions: { baseUrl: relay.url } });
      const found = await google.models.embedContent({ model, contents: TEXTS });
      expect(found.embeddings?.map(({ values }) => values)).toEqual(VECTORS);
      const asked = { model, texts: TEXTS, input_type: "search_query", embedding_types: ["float"] };
      const { status, json } = await ask("/v2/embed", asked);
      expect([status, json.embeddings]).toEqual([200, { float: VECTORS }]);
    });
  },
);

test("a request to an upstream of the same format keeps its bytes, and so does the answer", async () => {
  const { token } = await relay.addCaller();
  const body = '{ "model":"openai-embed","input" : ["a"],\n"user":"u" }';
  const response = await fetch(`${relay.url}/v1/embeddings`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
    body,
  });
  expect(await response.json()).toMatchObject({ object: "list", usage: { prompt_tokens: 7 } });
  expect(sent()?.body).toEqual(JSON.parse(body));
});

test("the older path names the model", async () => {
  const { status } = await ask("/v1/engines/openai-embed/embeddings", { input: "hello" });
  expect([status, sent()?.path, sent()?.body.model]).toEqual([200, "/openai/v1/embeddings", "openai-embed"]);
});

test("tokens are passed on to OpenAI, and refused where an upstream takes texts only", async () => {
  for (const input of [
    [1, 2, 3],
    [[1, 2], [3]],
  ]) {
    expect((await ask("/v1/embeddings", { model: "openai-embed", input })).status).toBe(200);
    expect(sent()?.body.input).toEqual(input);
    const { status, json } = await ask("/v1/embeddings", { model: "gemini-embed", input });
    expect([status, json.error]).toMatchObject([400, { param: "input", code: "invalid_embedding_request" }]);
  }
});

test("Google's single request reaches Google as it is, and others as one text", async () => {
  const body = { content: { parts: [{ text: "hello" }] }, taskType: "RETRIEVAL_QUERY" };
  for (const model of ["gemini-embed", "cohere-embed"]) {
    const { user, status, json } = await ask(`/v1beta/models/${model}:embedContent`, body);
    expect([model, status, json.embedding]).toEqual([model, 200, { values: VECTORS[0] }]);
    expect(await rowOf(user)).toMatchObject({ prompt: 7, quota: 7 });
  }
  expect(sent()?.body).toMatchObject({ texts: ["hello"], input_type: "search_query" });
});

test.each([
  [{}, "input"],
  [{ input: [] }, "input"],
  [{ input: [""] }, "input"],
  [{ input: "a", dimensions: 0 }, "dimensions"],
  [{ input: "a", encoding_format: "hex" }, "encoding_format"],
  [{ input: "a", provider: { order: ["x"] } }, "provider"],
  [{ input: "a", models: ["dear"] }, "models"],
])("%j is refused before anything is sent, and costs nothing", async (fields, param) => {
  const before = relay.documents.seen.length;
  const { user, status, json } = await ask("/v1/embeddings", { model: "openai-embed", ...fields });
  expect([status, json.error]).toMatchObject([400, { param }]);
  expect(relay.documents.seen.length).toBe(before);
  expect((await relay.balanceOf(user)).used).toBe(0);
});

describe("failures (nothing is charged for nothing)", () => {
  test.each(FAULTS.flatMap((fault) => [`m-${fault}`, `g-${fault}`]))("%s", async (model) => {
    const { user, status } = await ask("/v1/embeddings", { model, input: TEXTS });
    expect(status).toBe(model.endsWith("429") ? 429 : status >= 500 ? status : "an error");
    expect(await rowOf(user)).toMatchObject({ type: 5, quota: 0 });
    expect((await relay.balanceOf(user)).used).toBe(0);
  });

  test("the next channel is asked, in its own format", async () => {
    const id = await relay.addChannel({
      type: ollama.type,
      baseUrl: `${relay.documents.url}/ollama`,
      models: "both-500",
      modelMapping: JSON.stringify({ "both-500": "nomic" }),
      priority: -999,
    });
    await relay.inForce();
    const { user, status, json } = await ask("/v1/embeddings", { model: "both-500", input: TEXTS });
    expect([status, json.data]).toMatchObject([200, [{ embedding: VECTORS[0] }, { embedding: VECTORS[1] }]]);
    expect(await rowOf(user)).toMatchObject({ channel: id, quota: 14, other: { upstream_model_name: "nomic" } });
  });
});

test("a silent upstream is left for another, and costs nothing where there is none", async () => {
  const setting = '{"time_limits":{"first_byte_whole":0.2,"alone":0.4}}';
  const silent = { type: openai.type, baseUrl: `${relay.documents.url}/openai`, models: "m-silent", setting };
  await relay.addChannel(silent);
  await relay.inForce();
  const alone = await ask("/v1/embeddings", { model: "m-silent", input: "hello" });
  expect([alone.status, await rowOf(alone.user)]).toMatchObject([504, { type: 5, quota: 0 }]);
  const baseUrl = `${relay.documents.url}/cohere`;
  const modelMapping = JSON.stringify({ "m-silent": "embed-v4.0" });
  const id = await relay.addChannel({ type: cohere.type, baseUrl, models: "m-silent", modelMapping, priority: -999 });
  await relay.inForce();
  const { user, status, json } = await ask("/v1/embeddings", { model: "m-silent", input: "hello" });
  expect([status, json.data]).toMatchObject([200, [{ embedding: VECTORS[0] }]]);
  expect(await rowOf(user)).toMatchObject({ channel: id, quota: 7 });
});

test("an answer that is too large is asked for once, whatever other channels there are", async () => {
  const baseUrl = `${relay.documents.url}/openai`;
  const other = await relay.addChannel({
    type: openai.type,
    key: "good-key",
    baseUrl,
    models: "m-huge",
    priority: -999,
  });
  await relay.inForce();
  const before = relay.documents.seen.length;
  const { user, status, json } = await ask("/v1/embeddings", { model: "m-huge", input: TEXTS });
  expect([status, json.error]).toMatchObject([400, { code: "answer_too_large" }]);
  expect(relay.documents.seen.length).toBe(before + 1);
  const row = await rowOf(user);
  expect(row).toMatchObject({ type: 5, quota: 0 });
  expect(row?.channel).not.toBe(other);
  expect(row?.other.admin_info).toMatchObject({ attempts: [{ outcome: "request", cause: "too_large", cost: null }] });
});

test("small requests for large answers are bounded like large requests", async () => {
  const { user, token } = await relay.addCaller();
  const before = relay.documents.seen.length;
  const body = JSON.stringify({ model: "many-silent", input: Array.from({ length: 2_000 }, () => "a") });
  const leaving = new AbortController();
  const asking = Array.from({ length: 8 }, async () => {
    const headers = { "content-type": "application/json", authorization: `Bearer ${token.key}` };
    const asked = { method: "POST", headers, body, signal: leaving.signal };
    const response = await fetch(`${relay.url}/v1/embeddings`, asked);
    return [response.status, ((await response.json()) as { error: { code: string } }).error.code];
  });
  const refused = await Promise.any(asking);
  expect(refused).toEqual([429, "body_limit_exceeded"]);
  await until(async () => relay.documents.seen.length === before + 5, 10_000);
  leaving.abort();
  await Promise.allSettled(asking);
  await until(async () => (await relay.logsOf(user)).length === 5, 10_000);
});

test("a large answer counts until the caller has taken it", async () => {
  const { user, token } = await relay.addCaller();
  const input = Array.from({ length: 64 }, () => "a");
  const body = JSON.stringify({ model: "many-large", input, dimensions: 65_536 });
  const headers = { "content-type": "application/json", authorization: `Bearer ${token.key}` };
  const ask = async () => (await fetch(`${relay.url}/v1/embeddings`, { method: "POST", headers, body })).status;
  const { hostname, port } = new URL(relay.url);
  const lines = Object.entries({ ...headers, host: hostname, "content-length": body.length }).map((pair) =>
    pair.join(": "),
  );
  const idle = Array.from({ length: 3 }, () => {
    const socket = connect(Number(port), hostname).pause();
    socket.write(`POST /v1/embeddings HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
    return socket;
  });
  await until(async () => (await relay.logsOf(user)).length === 3, 20_000);
  expect(await ask()).toBe(429);
  for (const socket of idle) socket.destroy();
  await until(async () => (await ask()) === 200, 10_000);
});

describe("a type that has no embeddings (issue 14)", () => {
  test("is not asked, and says so when no other has the model", async () => {
    const { user, status, json } = await ask("/v1/embeddings", { model: "talker", input: "a" });
    expect([status, json.error]).toMatchObject([400, { param: "model", code: "invalid_api_type" }]);
    expect((await relay.balanceOf(user)).used).toBe(0);
    const shared = await ask("/v1/embeddings", { model: "shared", input: "a" });
    expect([shared.status, (await rowOf(shared.user))?.other.admin_info]).toMatchObject([
      200,
      { use_channel: [expect.any(String)] },
    ]);
  });
});
