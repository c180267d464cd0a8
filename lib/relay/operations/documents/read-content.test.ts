// What upstreams read of a request for embeddings or a reranking is reserved, believed when reported, and checked for
// words, whatever field it stands in.
import { describe, expect, test } from "vitest";
import type { Report } from "../../answers/answer";
import { defaultDialect } from "../../wire/dialects";
import { embeddings } from "../embeddings";
import type { Intake, Operation } from "../operation";
import { rerank } from "../rerank";
import { contentOf, PICTURE_TOKENS } from "./read-content";

const LONG = "many words of it ".repeat(1_000);

function intakeOf(operation: Operation, path: string, json: object): Intake {
  const { client } = defaultDialect;
  const call = { operation, clientDialect: client, requestId: "r", path, query: "", headers: {}, allowedOptions: [] };
  return operation.read(Buffer.from(JSON.stringify(json)), call);
}

function reported(promptTokens: number): Report {
  const usage = {
    promptTokens,
    completionTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
  };
  return { usage, finishReason: null, isComplete: true } as unknown as Report;
}

const sent = {
  bodyBytes: 1_000,
  pictureBytes: 0,
  unseenTokensMax: 0,
  hidden: null,
  completionTokensMax: 0,
  isAnswered: true,
};
const part = { text: LONG };
const picture = { inlineData: { mimeType: "image/png", data: "aGVsbG8=" } };
const gemini = "/v1beta/models/m:batchEmbedContents";
const twice = (item: object): object[] => [item, item];

describe.each([
  ["an input that is an object", embeddings, "/v1/embeddings", { model: "m", input: [part] }, 1],
  ["a field of an object that is not its text", embeddings, "/v1/embeddings", { model: "m", input: [{ a: LONG }] }, 1],
  ["an instruction for each input", embeddings, "/v1/embeddings", { model: "m", input: ["a", "b"], instruct: LONG }, 2],
  [
    "the parts of Cohere's inputs",
    embeddings,
    "/v2/embed",
    { model: "m", inputs: twice({ content: [part, part] }) },
    4,
  ],
  ["a text beside a picture", embeddings, gemini, { requests: twice({ content: { parts: [part, picture] } }) }, 2],
  ["a title", embeddings, gemini, { requests: twice({ content: { parts: [{ text: "a" }] }, title: LONG }) }, 2],
  [
    "an instruction for each document",
    rerank,
    "/v1/rerank",
    { query: "q", documents: ["a", "b"], instruction: LONG },
    2,
  ],
  ["a document's other fields", rerank, "/v1/rerank", { query: "q", documents: [{ text: "a", more: LONG }] }, 1],
  [
    "a text beside a document's picture",
    rerank,
    "/v1/rerank",
    { query: "q", documents: [{ image: "x", text: LONG }] },
    1,
  ],
] as const)("%s", (_name, operation, path, json, times) => {
  const intake = intakeOf(operation, path, { model: "m", ...json });

  test("is reserved as often as it is read", () => {
    expect(intake.need.prompt.promptTokens).toBeGreaterThanOrEqual((times * LONG.length) / 2);
  });

  test("is believed when it is reported", () => {
    const tokens = Math.floor((times * LONG.length) / 2);
    expect(intake.measure(reported(tokens), sent)).toMatchObject({ promptTokens: tokens, estimated: false });
  });

  test("is checked for words", () => {
    if (operation === embeddings) expect([...intake.words()]).toContain(LONG);
  });
});

test("choices and names of the caller are not read, however many inputs there are", () => {
  const json = { model: "m", input: Array.from({ length: 100 }, () => "a"), task: "retrieval.query", user: LONG };
  expect(intakeOf(embeddings, "/v1/embeddings", json).need.prompt.promptTokens).toBe(50);
});

test("ten thousand pictures are counted at once", () => {
  const documents = Array.from({ length: 10_000 }, () => ({ image: "x" }));
  const begunAt = performance.now();
  expect(contentOf(documents)).toEqual({ texts: [], tokens: 10_000 * PICTURE_TOKENS });
  expect(performance.now() - begunAt).toBeLessThan(50);
});

test.each([
  ["/v1/rerank", rerank, { query: "q", documents: ["a"] }],
  ["/v2/embed", embeddings, { texts: ["a"] }],
] as const)("other models cannot be named for %s: their price is another", (path, operation, json) => {
  expect(() => intakeOf(operation, path, { model: "m", models: ["dear"], ...json })).toThrow("models");
});

test("a model that only the body of Google's single request names is replaced, whatever else is in it", () => {
  const path = "/v1beta/models/cheap:embedContent";
  const json = { model: "models/dear", requests: [{}], content: { parts: [{ text: "a" }] } };
  const { body } = intakeOf(embeddings, path, json) as unknown as { body: Buffer };
  expect(JSON.parse(body.toString("utf8"))).toMatchObject({ model: "models/cheap" });
});
