import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { chatBody, setUpRelay, until } from "../harness";

const [OPENAI, JINA] = [1, 38];
const relay = setUpRelay({
  prices: "fake-gpt,fake-vector",
  channels: [
    { type: OPENAI, models: "fake-gpt" },
    { type: JINA, models: "fake-vector" },
  ],
});

async function keyFor(operationLimits: string): Promise<{ id: number; key: string; user: number }> {
  const { user, token } = await relay.addCaller({}, { operationLimits });
  return { ...token, user };
}

const ask = async (key: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
};

describe("a key that is limited to operations (issue 14)", () => {
  test("is used for those, and refused for others in the caller's own shape, at no cost", async () => {
    const { key, user } = await keyFor("chat");
    expect((await ask(key, "/v1/chat/completions", chatBody("fake-gpt"))).status).toBe(200);
    const used = await relay.balanceOf(user);
    const client = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
    await expect(client.embeddings.create({ model: "fake-vector", input: "a" })).rejects.toMatchObject({
      status: 403,
      code: "operation_not_allowed",
      message: expect.stringContaining("embeddings"),
    });
    expect(await relay.balanceOf(user)).toEqual(used);
    const vectors = await keyFor("embeddings,rerank");
    const claude = new Anthropic({ apiKey: vectors.key, baseURL: relay.url, maxRetries: 0 });
    const asked = { model: "fake-gpt", max_tokens: 5, messages: [{ role: "user" as const, content: "a" }] };
    await expect(claude.messages.create(asked)).rejects.toMatchObject({
      status: 403,
      error: { type: "error", error: { type: "permission_error" } },
    });
    await expect(claude.messages.countTokens(asked)).rejects.toMatchObject({ status: 403 });
    expect(await relay.logsOf(vectors.user)).toEqual([]);
  });

  test("is refused by the path, before its body is read", async () => {
    const { key } = await keyFor("rerank");
    for (const path of ["/v1/chat/completions", "/v1/completions", "/v1/embeddings", "/v1/moderations"]) {
      expect(await ask(key, path, "this is no JSON")).toMatchObject({
        status: 403,
        json: { error: { code: "operation_not_allowed" } },
      });
    }
    const google = await ask(key, "/v1beta/models/fake-gpt:generateContent", "{", { "x-goog-api-key": key });
    expect(google).toMatchObject({ status: 403, json: { error: { status: "PERMISSION_DENIED" } } });
  });

  test("is shown only models that are served for one of them, and its balance", async () => {
    const listed = async (key: string) => {
      const client = new OpenAI({ apiKey: key, baseURL: `${relay.url}/v1`, maxRetries: 0 });
      return (await client.models.list()).data.map(({ id }) => id);
    };
    expect(await listed((await keyFor("")).key)).toEqual(["fake-gpt", "fake-vector"]);
    const { key } = await keyFor("chat");
    expect(await listed(key)).toEqual(["fake-gpt"]);
    const billing = await fetch(`${relay.url}/dashboard/billing/usage`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(billing.status).toBe(200);
  });

  test("a change of the list is in force within a second, and an operation that is gone allows nothing", async () => {
    const { id, key } = await keyFor("");
    const status = async () => (await ask(key, "/v1/chat/completions", chatBody("fake-gpt"))).status;
    expect(await status()).toBe(200);
    await relay.database.sql`update tokens set operation_limits = 'rerank' where id = ${id}`;
    await until(async () => (await status()) === 403, 1_000);
    await relay.database.sql`update tokens set operation_limits = 'rerank,chat' where id = ${id}`;
    await until(async () => (await status()) === 200, 1_000);
    await relay.database.sql`update tokens set operation_limits = 'no-such-thing' where id = ${id}`;
    await until(async () => (await status()) === 403, 1_000);
  });
});
