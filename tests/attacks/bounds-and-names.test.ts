// What a request is refused for although the account could pay it: a bound far above its cost, and a name that a channel lists.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { countTokens } from "@/lib/relay/base/tokens/count-tokens";
import { setUpRelay, until } from "../relay/harness";

const RATIO = 1_000;
const GPT = "gpt-4-gizmo-g-2fkFE8rbu";
const GPT_4O = "gpt-4o-gizmo-g-2fkFE8rbu";
const relay = setUpRelay({
  prices: "fake-gpt",
  options: {
    RetryTimes: "0",
    ModelRatio: {
      ...Object.fromEntries(
        ["text-embedding-x", "bge-x", "omni-moderation-x", "rerank-x"].map((model) => [model, RATIO]),
      ),
      "gpt-4-gizmo-*": 1,
      "gpt-4o-gizmo-*": 1,
    },
  },
  channels: [],
});

/** English, of which a token has some five bytes. */
const TEXT = "The weir holds back the water of the river, and the mill takes what it needs from behind it. ".repeat(40);

async function ask(path: string, body: object, values: Parameters<typeof relay.addCaller>[0]) {
  const { user, token } = await relay.addCaller(values);
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { user, status: response.status, text: await response.text() };
}

/** Answers without usage, so that what is charged is what was counted. */
const server = createServer((request, response) => {
  const data = [0, 1].map((index) => ({ object: "embedding", index, embedding: [0.1, 0.2] }));
  const results = [0, 1].map((index) => ({ index, relevance_score: 0.5, flagged: false, categories: {} }));
  const answer = request.url?.endsWith("/embeddings")
    ? { object: "list", model: "m", data }
    : { id: "1", model: "m", results };
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer));
  });
});
/** Path, body, and how often it has the text. */
const DOCUMENTS = [
  ["an embedding", "/v1/embeddings", { model: "text-embedding-x", input: TEXT }, 1],
  ["embeddings", "/v1/embeddings", { model: "text-embedding-x", input: [TEXT, TEXT] }, 2],
  ["an embedding of another maker", "/v1/embeddings", { model: "bge-x", input: TEXT }, 1],
  ["a moderation", "/v1/moderations", { model: "omni-moderation-x", input: TEXT }, 1],
  ["a ranking", "/v1/rerank", { model: "rerank-x", query: "water", documents: [TEXT, TEXT] }, 2],
] as const;
const MODELS = [...new Set(DOCUMENTS.map(([, , { model }]) => model))];

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await relay.addChannel({ type: CHANNEL_TYPE.openai, baseUrl, models: MODELS.join(",") });
  await relay.inForce();
  // The thread that counts loads its tables at its first use.
  const isCounted = async () => (await countTokens([TEXT], "text-embedding-x")) < Buffer.byteLength(TEXT) / 4;
  await until(isCounted, 40_000);
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("a balance, and a budget, that cover what texts cost are enough, though their length would allow more (B54)", () => {
  test.each(DOCUMENTS)("%s", async (_, path, body, times) => {
    const allowed = (part: number) => Math.ceil((times * Buffer.byteLength(TEXT) * part) / 4.4) * RATIO;
    expect(allowed(1.75)).toBeLessThan((times * Buffer.byteLength(TEXT) * RATIO) / 2);
    const ofCounted = allowed(/^(text-embedding|omni)/.test(body.model) ? 1.1 : 1.75);
    for (const values of [{ balance: ofCounted }, { balance: 1_000_000_000, budgetDay: ofCounted }]) {
      const { user, status, text } = await ask(path, body, values);
      expect(status, text.slice(0, 200)).toBe(200);
      await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
      const [row] = await relay.logsOf(user);
      expect(row?.quota).toBeGreaterThan(0);
      expect(row?.other.beyond_reservation).toBeUndefined();
    }
    // Anthropic's callers read 402.
    expect([402, 429]).toContain((await ask(path, body, { balance: 100 * RATIO })).status);
    expect((await ask(path, body, { balance: 1_000_000_000, budgetDay: 100 * RATIO })).status).toBe(429);
  });
});

describe("a custom GPT is routed", () => {
  const chat = (model: string) => ({ model, messages: [{ role: "user", content: "Say hello" }], max_tokens: 20 });
  test.each([
    ["by its own name", GPT, [GPT]],
    ["by its own name, of the other kind", GPT_4O, [GPT_4O]],
    ["by the name that all share", GPT, ["gpt-4-gizmo-*"]],
    ["by either, where both are listed", GPT_4O, [GPT_4O, "gpt-4o-gizmo-*"]],
  ])("%s", async (_, model, models) => {
    const ids: number[] = [];
    for (const listed of models)
      ids.push(await relay.addChannel({ models: listed, modelMapping: JSON.stringify({ [model]: "fake-gpt" }) }));
    await relay.inForce();
    const { user, status, text } = await ask("/v1/chat/completions", chat(model), { balance: 1_000_000 });
    expect(status, text.slice(0, 200)).toBe(200);
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    const [row] = await relay.logsOf(user);
    expect(ids).toContain(row?.channel);
    for (const id of ids) await relay.database.sql`update channels set status = 2 where id = ${id}`;
    await relay.inForce();
  });

  test("at the price of its own name, where the operator set one", async () => {
    await relay.addChannel({ models: GPT, modelMapping: JSON.stringify({ [GPT]: "fake-gpt" }) });
    await relay.setOption("ModelPrice", { [GPT]: 0.5, "gpt-4-gizmo-*": 0.1 });
    await relay.inForce();
    const { user } = await ask("/v1/chat/completions", chat(GPT), { balance: 1_000_000 });
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    expect(await relay.logsOf(user)).toMatchObject([{ quota: 250_000 }]);
  });
});
