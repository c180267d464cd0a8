import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { PROVIDERS, setUpDocuments } from "../documents-harness";

const { jina, siliconflow, xinference, cohere, openai } = PROVIDERS;
const ALL = [jina, siliconflow, xinference, cohere] as const;
const FAULTS = ["429", "500", "cut", "empty", "error"];
const MODELS = [
  ...ALL.map((provider) => [provider, `${provider.name}-rerank`] as const),
  [cohere, "by-the-call"],
  [cohere, "by-searches"],
  [cohere, "by-searches-uncounted"],
  [cohere, "by-searches-boasting"],
  [jina, "by-searches-elsewhere"],
  [jina, "by-both"],
  [jina, "by-pages"],
  ...FAULTS.flatMap((fault) => [[jina, `j-${fault}`] as const, [cohere, `c-${fault}`] as const]),
  [jina, "both-500"],
  [openai, "text-moderation-stable"],
  [openai, "omni-moderation-latest"],
  [openai, "mod-500"],
] as const;
const SEARCHES = { search: 0.002 };
const { relay, ask, rowOf, sent } = setUpDocuments(MODELS, {
  ModelPrice: { "by-the-call": 0.002 },
  ModelMeterPrices: {
    "by-searches": SEARCHES,
    "by-searches-uncounted": SEARCHES,
    "by-searches-boasting": SEARCHES,
    "by-searches-elsewhere": SEARCHES,
    "by-both": SEARCHES,
    "by-pages": { page: 0.002 },
  },
  ModelRatio: Object.fromEntries(
    MODELS.filter(([, model]) => !model.startsWith("by-searches")).map(([, model]) => [model, 1]),
  ),
});

const DOCUMENTS = ["short", "the longest of them", "longer one"];
const ASKED = { query: "how long?", documents: DOCUMENTS };
/** The fakes put the longest first; a length counts with its quotes. */
const ORDER = [
  { index: 1, relevance_score: 0.021 },
  { index: 2, relevance_score: 0.012 },
  { index: 0, relevance_score: 0.007 },
];
/** As counted here: of the documents once, and of the query with each of them. */
const COUNTED = 17;
const COUNTS: Readonly<Record<string, number>> = { jina: 21, siliconflow: 21, xinference: COUNTED, cohere: COUNTED };

describe.each(ALL.map(({ name }) => [name, `${name}-rerank`] as const))(
  "reranking by %s (contract §6.15)",
  (name, model) => {
    test("answers in the common form, with documents only where they are wanted, charged for what was read", async () => {
      const { user, status, json } = await ask("/v1/rerank", { model, ...ASKED });
      expect([status, json.results]).toEqual([200, ORDER]);
      const row = await rowOf(user);
      expect(row).toMatchObject({ type: 2, prompt: COUNTS[name], completion: 0, quota: COUNTS[name], model });
      expect(row?.other.estimated === true).toBe(COUNTS[name] === COUNTED);
      const wanted = await ask("/v1/rerank", { model, ...ASKED, top_n: 1, return_documents: true });
      expect(wanted.json.results).toEqual([{ ...ORDER[0], document: { text: DOCUMENTS[1] } }]);
    });

    test("answers in Cohere's form", async () => {
      const { status, json } = await ask("/v2/rerank", { model, ...ASKED, top_n: 2 });
      expect([status, json.results]).toEqual([200, ORDER.slice(0, 2)]);
      expect(json.meta).toMatchObject({ api_version: { version: "2" } });
    });

    test("takes documents that are objects", async () => {
      const documents = DOCUMENTS.map((text) => ({ text }));
      const { status, json } = await ask("/v1/rerank", { model, query: "q", documents });
      expect([status, (json.results as { index: number }[]).map(({ index }) => index)]).toEqual([200, [1, 2, 0]]);
    });

    test("takes texts that begin like an address of stored files, and no object that names one", async () => {
      const texts = ["redis://localhost:6379 is the default", "files/app.ts exports it", "gs:// is Google's scheme"];
      const query = "files/app.ts exports what?";
      expect((await ask("/v1/rerank", { model, query, documents: texts })).status).toBe(200);
      const documents = [...texts, { image: "gs://operators-bucket/a.png" }];
      const { status, json } = await ask("/v1/rerank", { model, query, documents });
      expect([status, json]).toMatchObject([400, { error: { code: "stored_file_not_allowed" } }]);
    });
  },
);

test("a model that is priced by the call costs its price, whatever is read", async () => {
  const { user, status } = await ask("/v2/rerank", { model: "by-the-call", ...ASKED });
  expect([status, (await rowOf(user))?.quota]).toEqual([200, 1_000]);
});

/** 250 documents of few tokens, of which 100 are a unit. */
const MANY = { query: "q", documents: Array.from({ length: 250 }, (_, at) => `document ${at}`) };

describe("searches (Cohere's units: a query with up to 100 documents, in parts of 500 tokens)", () => {
  test("are charged as the upstream counts them, with their line in the log", async () => {
    const { user, json } = await ask("/v2/rerank", { model: "by-searches", ...MANY });
    expect(json.meta).toMatchObject({ billed_units: { search_units: 3 } });
    const row = await rowOf(user);
    expect(row).toMatchObject({ type: 2, quota: 3_000 });
    expect(row?.other.estimated).toBeUndefined();
    expect(row?.other).toMatchObject({
      meters: [{ meter: "search", quantity: 3, price: 0.002 }],
      lines: [{ kind: "search", quantity: 3, unitPrice: 1_000, amount: 3_000 }],
    });
  });

  test.each([
    ["by-searches-uncounted", "by an upstream that does not count them"],
    ["by-searches-elsewhere", "by a maker that counts tokens"],
  ])("%s: are counted here, %s", async (model) => {
    const { user } = await ask("/v1/rerank", { model, ...MANY });
    expect(await rowOf(user)).toMatchObject({ quota: 3_000, other: { meters: [{ quantity: 3 }] } });
  });

  test("a long document counts once for each part, as far as it is read", async () => {
    const long = { query: "q", documents: Array.from({ length: 30 }, () => "word ".repeat(3_000)) };
    const whole = await ask("/v2/rerank", { model: "by-searches-uncounted", ...long });
    expect(await rowOf(whole.user)).toMatchObject({ quota: 3_000, other: { estimated: true } });
    const short = { ...long, max_tokens_per_doc: 500 };
    const cut = await ask("/v2/rerank", { model: "by-searches-uncounted", ...short });
    expect(await rowOf(cut.user)).toMatchObject({ quota: 1_000 });
  });

  test("more searches than the request can need are not believed", async () => {
    const { user } = await ask("/v2/rerank", { model: "by-searches-boasting", ...MANY });
    expect(await rowOf(user)).toMatchObject({
      quota: 3_000,
      other: { outcome: "usage", usage_rejected: { meters: [{ meter: "search", quantity: 1_000 }] } },
    });
  });

  test("tokens are charged beside them where the model has both prices", async () => {
    const { user } = await ask("/v1/rerank", { model: "by-both", ...ASKED });
    expect(await rowOf(user)).toMatchObject({ quota: 1_021, prompt: 21 });
  });

  test("a model with the price of another unit only is refused before an upstream is asked", async () => {
    const before = relay.documents.seen.length;
    const { user, status, json } = await ask("/v1/rerank", { model: "by-pages", ...ASKED });
    expect([status, json.error]).toMatchObject([400, { code: "model_price_error" }]);
    expect([relay.documents.seen.length, (await relay.balanceOf(user)).used]).toEqual([before, 0]);
  });
});

test.each([
  [{ documents: DOCUMENTS }, "query", "invalid_query"],
  [{ query: "q" }, "documents", "invalid_documents"],
  [{ query: "q", documents: [] }, "documents", "invalid_documents"],
  [{ query: "q", documents: [1] }, "documents", "invalid_documents"],
])("%j is refused before anything is sent", async (fields, param, code) => {
  const before = relay.documents.seen.length;
  const { user, status, json } = await ask("/v1/rerank", { model: "jina-rerank", ...fields });
  expect([status, json.error]).toMatchObject([400, { param, code }]);
  const cohere2 = await ask("/v2/rerank", { model: "cohere-rerank", ...fields });
  expect([cohere2.status, typeof cohere2.json.message]).toEqual([400, "string"]);
  expect(relay.documents.seen.length).toBe(before);
  expect((await relay.balanceOf(user)).used).toBe(0);
});

describe("failures (nothing is charged for nothing)", () => {
  test.each(FAULTS.flatMap((fault) => [`j-${fault}`, `c-${fault}`]))("%s", async (model) => {
    const { user, status } = await ask("/v1/rerank", { model, ...ASKED });
    expect(status).toBe(model.endsWith("429") ? 429 : status >= 500 ? status : "an error");
    expect(await rowOf(user)).toMatchObject({ type: 5, quota: 0 });
    expect((await relay.balanceOf(user)).used).toBe(0);
  });

  test("the next channel is asked, in its own format", async () => {
    const baseUrl = `${relay.documents.url}/cohere`;
    const mapping = JSON.stringify({ "both-500": "rerank-v3.5" });
    const values = { type: cohere.type, baseUrl, models: "both-500", modelMapping: mapping, priority: -999 };
    const id = await relay.addChannel(values);
    await relay.inForce();
    const { user, status, json } = await ask("/v1/rerank", { model: "both-500", ...ASKED });
    expect([status, json.results]).toEqual([200, ORDER]);
    expect(await rowOf(user)).toMatchObject({ channel: id, quota: COUNTED });
    expect(sent()?.body).toMatchObject({ model: "rerank-v3.5", documents: DOCUMENTS });
  });
});

describe("words that the operator does not allow (issue 14)", () => {
  const words = async (values: Record<string, unknown>) => {
    for (const [key, value] of Object.entries(values)) await relay.setOption(key, value);
    await relay.inForce();
  };
  beforeAll(() =>
    words({ CheckSensitiveEnabled: "true", CheckSensitiveOnPromptEnabled: "true", SensitiveWords: "forbidden" }),
  );
  afterAll(() => words({ CheckSensitiveEnabled: "false", StopOnSensitiveEnabled: "true" }));

  test.each([
    { query: "what is forbidden?", documents: DOCUMENTS },
    { query: "q", documents: ["fine", "forbidden"] },
    { query: "q", documents: [{ text: "fine" }, { text: "forbidden" }] },
  ])("are found in what is reranked: %j", async (asked) => {
    const { user, status, json } = await ask("/v1/rerank", { model: "jina-rerank", ...asked });
    expect([status, json.error]).toMatchObject([400, { code: "sensitive_words_detected" }]);
    expect((await relay.balanceOf(user)).used).toBe(0);
  });

  test("are no reason to refuse a moderation, which asks about them", async () => {
    const { status } = await ask("/v1/moderations", { input: "this is forbidden" });
    expect([status, sent()?.body.input]).toEqual([200, "this is forbidden"]);
  });

  test("are replaced where they are to be replaced, but not in a moderation", async () => {
    await words({ StopOnSensitiveEnabled: "false" });
    const asked = { model: "jina-rerank", query: "q", documents: ["fine", "so forbidden"] };
    expect((await ask("/v1/rerank", asked)).status).toBe(200);
    expect(sent()?.body.documents).toEqual(["fine", "so ***"]);
    await ask("/v1/moderations", { input: "forbidden" });
    expect(sent()?.body.input).toBe("forbidden");
  });
});

describe("moderations (contract §4.1)", () => {
  test("answer OpenAI's client, for the usual model where none is named", async () => {
    const { user, token } = await relay.addCaller();
    const client = relay.clientFor(token.key);
    const { results } = await client.moderations.create({ input: "I like rivers" });
    expect(results[0]?.flagged).toBe(false);
    expect(sent()?.body).toEqual({ model: "text-moderation-stable", input: "I like rivers" });
    expect(await rowOf(user)).toMatchObject({ type: 2, prompt: 3, quota: 3, other: { estimated: true } });
    const url = "data:image/png;base64,aGVsbG8=";
    const input = [
      { type: "text" as const, text: "I like rivers" },
      { type: "image_url" as const, image_url: { url } },
    ];
    await client.moderations.create({ model: "omni-moderation-latest", input });
    expect(sent()?.body).toEqual({ model: "omni-moderation-latest", input });
  });

  test("an upstream that fails, and a request without an input, cost nothing", async () => {
    const failed = await ask("/v1/moderations", { model: "mod-500", input: "a" });
    expect([failed.status, await rowOf(failed.user)]).toMatchObject([500, { type: 5, quota: 0 }]);
    const empty = await ask("/v1/moderations", { input: [] });
    expect([empty.status, empty.json.error]).toMatchObject([
      400,
      { param: "input", code: "invalid_moderation_request" },
    ]);
  });
});
