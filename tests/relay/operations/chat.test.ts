import { describe, expect, test } from "vitest";
import { countTokens } from "@/lib/relay/base/tokens/count-tokens";
import { MODELS, setUpRelay, until } from "../harness";

const messages = [{ role: "user" as const, content: "Say hello" }];
const models = `${MODELS},fake-mapped`;
const relay = setUpRelay({
  prices: models,
  // drain.test.ts has what happens otherwise.
  options: { StreamDrainSeconds: "0" },
  channels: [{ modelMapping: '{"fake-mapped":"fake-gpt"}', models }],
});

async function newCaller() {
  const { user, token } = await relay.addCaller();
  return { user, token, client: relay.clientFor(token.key) };
}

describe("chat completions by the official client", () => {
  test("an answer that is not streamed arrives whole and is charged for the usage its upstream reports (B318)", async () => {
    const { user, client } = await newCaller();
    const { data, response } = await client.chat.completions.create({ model: "fake-gpt", messages }).withResponse();
    expect(data.choices[0]?.message.content).toBe("The river runs through the weir, evenly and without a sound.");
    expect(data.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 13 });
    expect(response.headers.get("x-oneapi-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    const [channel] = relay.channelIds;
    expect(await relay.logsOf(user)).toMatchObject([
      { type: 2, quota: 12 + 2 * 13, prompt: 12, completion: 13, channel, stream: false, model: "fake-gpt" },
    ]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - 38, used: 38 });
  });

  test("a streamed answer arrives in pieces; usage is asked for upstream and withheld from who did not ask", async () => {
    const { user, client } = await newCaller();
    const stream = await client.chat.completions.create({ model: "fake-gpt", messages, stream: true });
    let text = "";
    const chunks = [];
    for await (const chunk of stream) {
      chunks.push(chunk);
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect(text).toBe("The river runs through the weir, evenly and without a sound.");
    expect(chunks.some((chunk) => chunk.usage)).toBe(false);
    expect(relay.upstream.requests.at(-1)?.body).toMatchObject({ stream_options: { include_usage: true } });
    expect(await relay.logsOf(user)).toMatchObject([{ type: 2, quota: 38, prompt: 12, completion: 13, stream: true }]);
  });

  test("who asks for the usage frame gets it", async () => {
    const { client } = await newCaller();
    const stream = await client.chat.completions.create({
      model: "fake-gpt",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let usage: unknown;
    for await (const chunk of stream) usage = chunk.usage ?? usage;
    expect(usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 13, total_tokens: 25 });
  });

  test("tools pass both ways, streamed and not", async () => {
    const { client } = await newCaller();
    const tools = [{ type: "function" as const, function: { name: "weather", parameters: { type: "object" } } }];
    const whole = await client.chat.completions.create({ model: "fake-tools", messages, tools });
    expect(whole.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: "weather", arguments: '{"city":"Ulm"}' },
    });
    const runner = client.chat.completions.stream({ model: "fake-tools", messages, tools });
    const final = await runner.finalChatCompletion();
    expect(final.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"city":"Ulm"}' } });
  });

  test("an upstream without usage is charged by our own estimate, marked as one", async () => {
    const answer = "The river runs through the weir, evenly and without a sound.";
    // The thread that counts starts at the first count, which on a busy machine takes longer than a count may: lengths are taken then.
    await until(async () => (await countTokens([answer], "fake-no-usage")) === 14, 20_000);
    const { user, client } = await newCaller();
    await client.chat.completions.create({ model: "fake-no-usage", messages });
    const stream = await client.chat.completions.create({ model: "fake-no-usage", messages, stream: true });
    for await (const _chunk of stream);
    const rows = await relay.logsOf(user);
    expect(rows).toHaveLength(2);
    for (const row of rows) {
      expect(row.other.estimated).toBe(true);
      expect(row.completion).toBe(14);
      expect(row.prompt).toBeGreaterThan(5);
    }
  });

  test("where nothing is drained, a caller who hangs up ends the upstream's work at once and pays for what was streamed", async () => {
    const { user, client } = await newCaller();
    const before = relay.upstream.aborts();
    const stream = await client.chat.completions.create({ model: "fake-slow", messages, stream: true });
    let seen = 0;
    for await (const _chunk of stream) if (++seen === 5) break;
    await until(() => relay.upstream.aborts() > before, 500);
    await until(async () => (await relay.logsOf(user)).length === 1);
    const [row] = await relay.logsOf(user);
    expect(row).toMatchObject({ type: 2, stream: true, other: { outcome: "gone", estimated: true } });
    expect(row?.completion).toBeGreaterThan(3);
    expect(row?.completion).toBeLessThan(30);
    expect((await relay.balanceOf(user)).used).toBe(row?.quota);
  });

  test("an upstream that breaks off is told to the caller and charged for what was delivered", async () => {
    const { user, client } = await newCaller();
    const stream = await client.chat.completions.create({ model: "fake-cut", messages, stream: true });
    const read = async () => {
      for await (const _chunk of stream);
    };
    await expect(read()).rejects.toThrow(/closed the connection/);
    expect(await relay.logsOf(user)).toMatchObject([{ type: 2, other: { outcome: "cut", estimated: true } }]);
  });

  test("the model is sent under its mapped name, billed and logged under the requested one (B315)", async () => {
    const { user, client } = await newCaller();
    await client.chat.completions.create({ model: "fake-mapped", messages });
    expect(relay.upstream.requests.at(-1)?.body.model).toBe("fake-gpt");
    expect(await relay.logsOf(user)).toMatchObject([
      { model: "fake-mapped", quota: 38, other: { is_model_mapped: true, upstream_model_name: "fake-gpt" } },
    ]);
  });

  test("models lists what the caller may use; an unknown one is 404", async () => {
    const { client } = await newCaller();
    const ids = [];
    for await (const model of client.models.list()) ids.push(model.id);
    expect(ids).toContain("fake-gpt");
    expect(await client.models.retrieve("fake-gpt")).toMatchObject({ id: "fake-gpt", object: "model" });
    await expect(client.models.retrieve("nothing")).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  });

  test("nothing of the caller but its body reaches the upstream", async () => {
    const { client, token } = await newCaller();
    await client.chat.completions.create(
      { model: "fake-gpt", messages },
      { headers: { "x-secret": "1", cookie: "a=b" } },
    );
    const seen = relay.upstream.requests.at(-1);
    expect(seen?.authorization).toBe("Bearer good-key");
    expect(JSON.stringify(seen?.headers)).not.toContain(token.key);
    expect(seen?.headers).not.toHaveProperty("x-secret");
    expect(seen?.headers).not.toHaveProperty("cookie");
  });
});
