import { expect, test } from "vitest";
import type { OperationId } from "@/lib/operations";
import { defaultOptions } from "@/lib/option/registry";
import { operations } from "@/lib/relay/operations";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { PROVIDERS, setUpDocuments } from "../documents-harness";

const { openai, jina, cohere, gemini, dashscope, moka, siliconflow } = PROVIDERS;
/** A model of each, and where its test goes. */
const CASES = [
  [openai, "text-embedding-3-small", /\/openai\/v1\/embeddings$/],
  [openai, "text-moderation-stable", /\/openai\/v1\/moderations$/],
  [openai, "gpt-3.5-turbo-instruct", /\/openai\/v1\/completions$/],
  [jina, "jina-embeddings-v3", /\/jina\/v1\/embeddings$/],
  [jina, "jina-reranker-v2-base-multilingual", /\/jina\/v1\/rerank$/],
  [siliconflow, "BAAI/bge-reranker-v2-m3", /\/siliconflow\/v1\/rerank$/],
  [cohere, "embed-v4.0", /\/cohere\/v2\/embed$/],
  [cohere, "rerank-v3.5", /\/cohere\/v2\/rerank$/],
  [gemini, "gemini-embedding-001", /:batchEmbedContents$/],
  [dashscope, "text-embedding-v4", /\/text-embedding$/],
  [moka, "m3e-base", /\/moka\/embeddings$/],
] as const;

const { relay, sent } = setUpDocuments([
  ...CASES.map(([provider, model]) => [provider, model] as const),
  [jina, "jina-reranker-empty"],
  [openai, "text-embedding-429"],
  [siliconflow, "my-own-model"],
  [siliconflow, "named-embed-but-ranks"],
]);

async function tested(model: string, operation: OperationId | null = null) {
  const rows = await listChannelRows(relay.database.sql);
  const row = rows.find(({ models }) => models === model);
  if (!row) throw new Error("no channel");
  return testChannel({ ...readChannel(row), trust: "operator" }, model, defaultOptions(), operation);
}

test.each(CASES.map(([{ name }, model, path]) => [name, model, path] as const))(
  "a channel of %s is tested with what %s is for (issue 14)",
  async (_name, model, path) => {
    expect(await tested(model)).toMatchObject({ success: true, status: 200 });
    expect(sent()?.path).toMatch(path);
  },
);

test("where the name does not tell what a model is for, the operation is chosen", async () => {
  expect(await tested("my-own-model", "rerank")).toMatchObject({ success: true, operation: "rerank" });
  expect(sent()?.path).toBe("/siliconflow/v1/rerank");
  expect(await tested("named-embed-but-ranks")).toMatchObject({ operation: "embeddings" });
  expect(await tested("named-embed-but-ranks", "rerank")).toMatchObject({ success: true, operation: "rerank" });
  const before = relay.documents.seen.length;
  expect(await tested("my-own-model", "moderations")).toMatchObject({
    success: false,
    message: expect.stringContaining("no such operation"),
  });
  expect(relay.documents.seen.length).toBe(before);
});

test("every test asks one of its operation's paths, and no model's name is for two operations", () => {
  for (const { test: asked, endpoints } of operations) {
    if (asked) expect(endpoints.map(({ path }) => path)).toContain(asked.path);
  }
  for (const [, model] of CASES) {
    expect(operations.filter(({ test: asked }) => asked?.models?.test(model)).length, model).toBeLessThanOrEqual(1);
  }
});

test("an answer without anything in it, and an error, fail the test with their reason", async () => {
  expect(await tested("jina-reranker-empty")).toMatchObject({
    success: false,
    message: expect.stringContaining("empty"),
  });
  expect(await tested("text-embedding-429")).toMatchObject({
    success: false,
    status: 429,
    message: "status 429 it is",
  });
});
