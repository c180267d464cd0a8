import { GoogleGenAI } from "@google/genai";
import { GoogleGenerativeAIEmbeddings } from "@langchain/google-genai";
import { OpenAIEmbeddings } from "@langchain/openai";
import { CohereClientV2 } from "cohere-ai";
import OpenAI from "openai";
import { beforeAll, describe, expect, test } from "vitest";
import { PROVIDERS, setUpDocuments } from "../relay/documents-harness";

const { openai, gemini, cohere, jina, siliconflow, ollama, dashscope } = PROVIDERS;
const EMBEDDERS = [openai, gemini, cohere, jina, ollama, dashscope] as const;
const RANKERS = [cohere, jina, siliconflow] as const;
const FAULTS = ["429", "500", "cut", "silent"];
/** A fault of an upstream of each format that clients of documents have. */
const FAULTY = FAULTS.flatMap((fault) => [
  [openai, `openai-${fault}`] as const,
  [cohere, `cohere-${fault}`] as const,
  [gemini, `gemini-${fault}`] as const,
]);
const { relay, rowOf } = setUpDocuments(
  [
    ...EMBEDDERS.map((provider) => [provider, `${provider.name}-embed`] as const),
    ...RANKERS.map((provider) => [provider, `${provider.name}-rank`] as const),
    [openai, "openai-moderation"],
    [openai, "openai-text"],
    ...FAULTY,
  ],
  { RetryTimes: "0" },
);

/** Asked before those that would be waited for as long as usual. */
beforeAll(async () => {
  const setting = '{"time_limits":{"first_byte_whole":0.2,"alone":0.2}}';
  for (const { name, type } of [openai, cohere, gemini]) {
    const baseUrl = `${relay.documents.url}/${name}`;
    await relay.addChannel({ type, baseUrl, setting, models: `${name}-silent`, priority: 1 });
  }
  await relay.inForce();
});

const TEXTS = ["hello", "hello world"];
/** What the fakes make of these two. */
const VECTORS = [
  [5, 0, 0.5],
  [11, 1, 0.5],
];
const DOCUMENTS = ["short", "the longest of them", "longer one"];
const ORDER = [1, 2, 0];

async function connect() {
  const { user, token } = await relay.addCaller();
  const { key: apiKey } = token;
  return {
    user,
    openai: new OpenAI({ apiKey, baseURL: `${relay.url}/v1`, maxRetries: 0 }),
    cohere: new CohereClientV2({ token: apiKey, environment: relay.url, maxRetries: 0 }),
    google: new GoogleGenAI({ apiKey, httpOptions: { baseUrl: relay.url } }),
    langchain: (model: string) =>
      new OpenAIEmbeddings({ apiKey, model, maxRetries: 0, configuration: { baseURL: `${relay.url}/v1` } }),
    langchainGoogle: (model: string) =>
      new GoogleGenerativeAIEmbeddings({ apiKey, model, maxRetries: 0, baseUrl: relay.url }),
  };
}

/** One quota a token. Gemini's batch reports none, so that its three are counted. */
const charged = (name: string): number => (name === "gemini" ? 3 : 14);

describe.each(EMBEDDERS.map(({ name }) => [name, `${name}-embed`] as const))(
  "vectors of %s (issue 14)",
  (name, model) => {
    test("for the openai client", async () => {
      const { user, openai: client } = await connect();
      const { data, usage } = await client.embeddings.create({ model, input: TEXTS });
      expect(data.map(({ embedding }) => embedding)).toEqual(VECTORS);
      if (name !== "gemini") expect(usage.prompt_tokens).toBe(14);
      expect(await rowOf(user)).toMatchObject({ type: 2, quota: charged(name) });
    });

    test("for the cohere-ai client", async () => {
      const { user, cohere: client } = await connect();
      const asked = { model, texts: TEXTS, inputType: "search_query" as const, embeddingTypes: ["float" as const] };
      const { embeddings, texts, meta } = await client.embed(asked);
      expect([embeddings.float, texts]).toEqual([VECTORS, TEXTS]);
      if (name !== "gemini") expect(meta?.billedUnits?.inputTokens).toBe(14);
      expect(await rowOf(user)).toMatchObject({ type: 2, quota: charged(name) });
    });

    test("for the @google/genai client", async () => {
      const { user, google } = await connect();
      const { embeddings } = await google.models.embedContent({ model, contents: TEXTS });
      expect(embeddings?.map(({ values }) => values)).toEqual(VECTORS);
      expect(await rowOf(user)).toMatchObject({ type: 2, quota: charged(name) });
    });

    test("for LangChain's OpenAIEmbeddings and GoogleGenerativeAIEmbeddings", async () => {
      const first = await connect();
      expect(await first.langchain(model).embedDocuments(TEXTS)).toEqual(VECTORS);
      expect(await rowOf(first.user)).toMatchObject({ type: 2, quota: charged(name) });
      const second = await connect();
      expect(await second.langchainGoogle(model).embedDocuments(TEXTS)).toEqual(VECTORS);
      expect(await rowOf(second.user)).toMatchObject({ type: 2, quota: charged(name) });
    });
  },
);

test.each(RANKERS.map(({ name }) => [name, `${name}-rank`] as const))(
  "documents ranked by %s for the cohere-ai client (issue 14)",
  async (_name, model) => {
    const { user, cohere: client } = await connect();
    const { results } = await client.rerank({ model, query: "how long?", documents: DOCUMENTS });
    expect(results.map(({ index }) => index)).toEqual(ORDER);
    expect(results[0]?.relevanceScore).toBeCloseTo(0.021);
    const few = await client.rerank({ model, query: "how long?", documents: DOCUMENTS, topN: 1, maxTokensPerDoc: 100 });
    expect(few.results).toHaveLength(1);
    expect(await rowOf(user)).toMatchObject({ type: 2, model });
  },
);

test("moderations and completions for the openai client", async () => {
  const { openai: client } = await connect();
  const { results } = await client.moderations.create({ model: "openai-moderation", input: "a river" });
  expect(results[0]?.categories.violence).toBe(false);
  const { choices, usage } = await client.completions.create({ model: "openai-text", prompt: "Once", max_tokens: 20 });
  expect([choices[0]?.text, usage?.total_tokens]).toEqual([" a river runs.", 9]);
});

describe("an upstream that fails is an error that clients know, and costs nothing (issue 14)", () => {
  const STATUS: Readonly<Record<string, number>> = { "429": 429, "500": 500, cut: 502, silent: 504 };

  test.each(FAULTS)("%s, for the openai, cohere-ai and @google/genai clients", async (fault) => {
    const status = STATUS[fault];
    const { user, ...clients } = await connect();
    const asked = { model: `openai-${fault}`, input: TEXTS };
    await expect(clients.openai.embeddings.create(asked)).rejects.toMatchObject({ status });
    const ranked = { model: `cohere-${fault}`, query: "q", documents: DOCUMENTS };
    await expect(clients.cohere.rerank(ranked)).rejects.toMatchObject({ statusCode: status });
    const vectors = { model: `gemini-${fault}`, contents: TEXTS };
    await expect(clients.google.models.embedContent(vectors)).rejects.toMatchObject({ status });
    expect(await relay.balanceOf(user)).toMatchObject({ used: 0 });
  });

  test("a key that is refused is so in each client's own way", async () => {
    const wrong = new CohereClientV2({ token: "sk-nothing", environment: relay.url, maxRetries: 0 });
    await expect(wrong.rerank({ model: "cohere-rank", query: "q", documents: DOCUMENTS })).rejects.toMatchObject({
      statusCode: 401,
      body: { message: expect.stringContaining("invalid API key") },
    });
  });
});
