import { describe, expect, test } from "vitest";
import { PROVIDERS, setUpDocuments } from "../documents-harness";
import { until } from "../harness";

const { openai, deepseek, cloudflare, gemini } = PROVIDERS;
const ALL = [openai, deepseek, cloudflare] as const;
const FAULTS = ["429", "500", "cut", "empty", "error"];
const { relay, ask, rowOf, sent } = setUpDocuments([
  ...ALL.map((provider) => [provider, `${provider.name}-text`] as const),
  ...FAULTS.flatMap((fault) => [[openai, `m-${fault}`] as const, [cloudflare, `w-${fault}`] as const]),
  [openai, "both-500"],
  [gemini, "gemini-text"],
]);

const TEXT = " a river runs.";
/** Five tokens of the prompt and four of the completion, which cost two each. */
const QUOTA = 13;
/** DeepSeek is not asked for usage in a stream, so that it is counted. */
const isCounted = (name: string, isStream: boolean): boolean => isStream && name === "deepseek";

describe.each(ALL.map(({ name }) => [name, `${name}-text`] as const))(
  "completions of %s (contract §4.1, §6)",
  (name, model) => {
    test.each([false, true])("answer OpenAI's client, charged for what is reported (stream: %s)", async (stream) => {
      const { user, token } = await relay.addCaller();
      const client = relay.clientFor(token.key);
      let text = "";
      let reason: string | null = null;
      if (stream) {
        for await (const chunk of await client.completions.create({ model, prompt: "Once", max_tokens: 20, stream })) {
          text += chunk.choices[0]?.text ?? "";
          reason = chunk.choices[0]?.finish_reason ?? reason;
        }
      } else {
        const { choices, usage } = await client.completions.create({ model, prompt: "Once", max_tokens: 20 });
        ({ text, finish_reason: reason } = choices[0] ?? { text: "", finish_reason: null });
        expect(usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 4 });
      }
      expect([text, reason]).toEqual([TEXT, "stop"]);
      const row = await rowOf(user);
      const counted = isCounted(name, stream)
        ? { other: { estimated: true } }
        : { prompt: 5, completion: 4, quota: QUOTA };
      expect(row).toMatchObject({ type: 2, stream, model, ...counted });
    });
  },
);

test("a prompt of tokens, several prompts and best_of reach OpenAI as they are", async () => {
  for (const fields of [{ prompt: [1, 2] }, { prompt: ["a", "b"] }, { prompt: "a", n: 1, best_of: 3, suffix: "z" }]) {
    const body = { model: "openai-text", ...fields };
    expect((await ask("/v1/completions", body)).status).toBe(200);
    expect(sent()?.body).toEqual(body);
  }
});

test("a small balance lowers the limit that the upstream gets", async () => {
  const { token } = await relay.addCaller({ balance: 100 });
  const client = relay.clientFor(token.key);
  await client.completions.create({ model: "openai-text", prompt: "Once", max_tokens: 5_000 });
  const limit = Number(sent()?.body.max_tokens);
  expect(limit).toBeGreaterThanOrEqual(16);
  expect(limit).toBeLessThanOrEqual(50);
});

test("a small balance lowers every limit that an upstream could heed", async () => {
  const { token } = await relay.addCaller({ balance: 100 });
  const response = await fetch(`${relay.url}/v1/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
    body: JSON.stringify({ model: "openai-text", prompt: "Once", max_tokens: 1, max_completion_tokens: 5_000 }),
  });
  expect(response.status).toBe(200);
  expect(sent()?.body.max_tokens).toBe(1);
  expect(Number(sent()?.body.max_completion_tokens)).toBeLessThanOrEqual(50);
});

test("a prompt that is only echoed is charged once, and nothing is written to it", async () => {
  const { user, token } = await relay.addCaller({ balance: 200 });
  const client = relay.clientFor(token.key);
  const prompt = "Once upon a time there was a river";
  const { choices } = await client.completions.create({ model: "openai-text", prompt, max_tokens: 0, echo: true });
  expect([choices[0]?.text, sent()?.body.max_tokens]).toEqual([prompt, 0]);
  expect(await rowOf(user)).toMatchObject({ prompt: 5, completion: 0, quota: 5 });
});

test.each([
  ["openai-text", {}, "prompt"],
  ["openai-text", { prompt: [] }, "prompt"],
  ["openai-text", { prompt: "a", best_of: 2, stream: true }, "best_of"],
  ["openai-text", { prompt: "a", max_tokens: -1 }, "max_tokens"],
  ["cloudflare-text", { prompt: ["a", "b"] }, "prompt"],
  ["cloudflare-text", { prompt: "a", suffix: "z" }, "suffix"],
  ["gemini-text", { prompt: "a" }, "model"],
])("%s with %j is refused before anything is sent, and costs nothing", async (model, fields, param) => {
  const before = relay.documents.seen.length;
  const { user, status, json } = await ask("/v1/completions", { model, ...fields });
  expect([status, json.error]).toMatchObject([400, { param }]);
  expect(relay.documents.seen.length).toBe(before);
  expect((await relay.balanceOf(user)).used).toBe(0);
});

describe("failures (nothing is charged for nothing)", () => {
  test.each(FAULTS.flatMap((fault) => [`m-${fault}`, `w-${fault}`]))("%s", async (model) => {
    const { user, status } = await ask("/v1/completions", { model, prompt: "Once", max_tokens: 20 });
    expect(status).toBe(model.endsWith("429") ? 429 : status >= 500 ? status : "an error");
    expect(await rowOf(user)).toMatchObject({ type: 5, quota: 0 });
    expect((await relay.balanceOf(user)).used).toBe(0);
  });

  test.each(["m-cut", "w-cut"])("a stream that is cut has no end, and costs what was delivered (%s)", async (model) => {
    const { user, token } = await relay.addCaller();
    const response = await fetch(`${relay.url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
      body: JSON.stringify({ model, prompt: "Once", max_tokens: 20, stream: true }),
    });
    const text = await response.text();
    expect(text).toContain(" river");
    expect(text).toContain('"error"');
    expect(text).not.toContain("[DONE]");
    await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
    expect(await rowOf(user)).toMatchObject({ type: 2, other: { outcome: "cut", estimated: true } });
    expect((await relay.balanceOf(user)).used).toBeLessThan(QUOTA);
  });

  test("the next channel is asked", async () => {
    const baseUrl = `${relay.documents.url}/cloudflare`;
    const modelMapping = JSON.stringify({ "both-500": "@cf/llama" });
    const values = { type: cloudflare.type, other: "acc", baseUrl, models: "both-500", modelMapping, priority: -999 };
    const id = await relay.addChannel(values);
    await relay.inForce();
    const { user, status, json } = await ask("/v1/completions", { model: "both-500", prompt: "Once", max_tokens: 9 });
    expect([status, json.choices]).toMatchObject([200, [{ text: TEXT, finish_reason: "stop" }]]);
    expect(await rowOf(user)).toMatchObject({ channel: id, quota: QUOTA });
  });
});
