// Who: a caller with a small balance and many parallel requests that name no max_tokens, or an upstream that writes far
// more than was expected.
// What must hold: no answer outruns its reservation. A balance ends at zero or above it, apart from what arrives in one
// chunk of each stream (lib/billing/README.md); a stream that the balance cannot pay for ends cleanly and is marked.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { chatBody, setUpRelay } from "../relay/harness";

/** Its maximum is known and it shows all that it writes, so that its streams are followed. Answers 20,480 tokens. */
const LONG = "gpt-4.1:chunks=20480";
/** Nothing is known of it: it may think unseen, so that its requests get a limit. */
const UNKNOWN = "fake-gpt";
/** 12 prompt tokens, two quota a completion token. */
const COST_OF_LONG = 12 + 2 * 20_480;

const CLAUDE = "claude-3-5-sonnet-20241022";
const CHANNEL_TYPE_ANTHROPIC = 14;

/** Writes 8,000 tokens in Anthropic's format. */
async function tellAtLength(response: ServerResponse): Promise<void> {
  const send = (type: string, more: object): boolean =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  response.writeHead(200, { "content-type": "text/event-stream" });
  send("message_start", { message: { id: "m", role: "assistant", content: [], usage: { input_tokens: 12 } } });
  send("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  for (let i = 0; i < 8_000 && !response.destroyed; i++) {
    send("content_block_delta", { index: 0, delta: { type: "text_delta", text: " river" } });
    if (i % 50 === 0) await new Promise(setImmediate);
  }
  response.end();
}

const models = `${LONG},${UNKNOWN},gpt-4.1,o3`;

describe("answers ten times longer than expected", () => {
  const relay = setUpRelay({ prices: `${models},${CLAUDE}`, channels: [{ models }] });

  async function askTogether(key: string, urls: string[], count: number, more: object): Promise<string[]> {
    const asked = Array.from({ length: count }, async (_, i) => {
      const response = await fetch(`${urls[i % urls.length]}/v1/chat/completions`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: chatBody(LONG, { stream: true, ...more }),
      });
      return response.status === 200 ? await response.text() : `${response.status}`;
    });
    return await Promise.all(asked);
  }

  test("100 parallel streams on two gateways leave a balance at zero or above, and end cleanly where it is used up", async () => {
    const balance = 3 * COST_OF_LONG;
    const { user, token } = await relay.addCaller({ balance });
    const beside = await relay.startBeside();
    const answers = await askTogether(token.key, [relay.url, beside.url], 100, {});
    await beside.gateway.stop();
    const logs = await relay.logsOf(user);
    const { quota, used } = await relay.balanceOf(user);
    expect(quota).toBeGreaterThanOrEqual(0);
    expect(used).toBe(balance - quota);
    // Most of the balance was of use to somebody.
    expect(used).toBeGreaterThan(balance / 2);
    const ended = logs.filter(({ other }) => other.ended_by_balance === true);
    expect(ended.length).toBeGreaterThan(0);
    const streams = answers.filter((text) => text.startsWith("data:"));
    expect(streams.length).toBe(logs.length);
    expect(streams.filter((text) => !text.endsWith("data: [DONE]\n\n"))).toEqual([]);
    expect(streams.filter((text) => text.includes('"finish_reason":"length"')).length).toBe(ended.length);
    expect(answers.filter((text) => !/^(data:|403$|503$)/.test(text))).toEqual([]);
    expect(logs.filter(({ other }) => "beyond_reservation" in other)).toEqual([]);
  }, 120_000);

  test("whole answers get a limit that the balance pays for, and nothing is changed for who can pay for the model's longest", async () => {
    const small = await relay.addCaller({ balance: 1_000 });
    const asked = { messages: [{ role: "user", content: "hi" }], n: 2 };
    await relay.post(small.token.key, chatBody("gpt-4.1", asked));
    const limited = relay.upstream.requests.at(-1)?.body ?? {};
    expect(limited.max_tokens).toBeGreaterThan(16);
    expect(2 * 2 * Number(limited.max_tokens)).toBeLessThan(1_000);
    const rich = await relay.addCaller({ balance: 10_000_000 });
    const body = { model: "gpt-4.1", ...asked };
    await relay.post(rich.token.key, JSON.stringify(body));
    expect(relay.upstream.requests.at(-1)?.body).toEqual(body);
    await relay.post(rich.token.key, chatBody(UNKNOWN, asked));
    expect(relay.upstream.requests.at(-1)?.body).not.toHaveProperty("max_tokens");
  });

  test("a caller's own limit is lowered to what the balance pays for, never raised", async () => {
    const { token } = await relay.addCaller({ balance: 1_000 });
    await relay.post(token.key, chatBody(UNKNOWN, { max_tokens: 9_000 }));
    expect(Number(relay.upstream.requests.at(-1)?.body.max_tokens)).toBeLessThan(500);
    await relay.post(token.key, chatBody(UNKNOWN, { max_tokens: 20 }));
    expect(relay.upstream.requests.at(-1)?.body.max_tokens).toBe(20);
  });

  test("what a model thinks unseen is kept in bounds by a limit in the request, streamed or not", async () => {
    for (const stream of [false, true]) {
      const { token } = await relay.addCaller({ balance: 2_000 });
      await relay.post(token.key, chatBody("o3", { stream, n: 2 }));
      const { max_completion_tokens: limit, max_tokens: other } = relay.upstream.requests.at(-1)?.body ?? {};
      expect(other).toBeUndefined();
      expect(Number(limit)).toBeGreaterThan(16);
      expect(2 * 2 * Number(limit)).toBeLessThan(2_000);
    }
  });

  test("a stream in another dialect than the upstream's ends as that dialect does", async () => {
    const { user, token } = await relay.addCaller({ balance: 9_000 });
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": token.key },
      body: chatBody(LONG, { stream: true, max_tokens: 30_000 }),
    });
    const text = await response.text();
    expect(text).toContain('"stop_reason":"max_tokens"');
    expect(text.trimEnd().endsWith('data: {"type":"message_stop"}')).toBe(true);
    const [log] = await relay.logsOf(user);
    expect(log?.other.ended_by_balance).toBe(true);
    expect((await relay.balanceOf(user)).quota).toBeGreaterThanOrEqual(0);
  });

  test("a stream of Anthropic's that passes through ends with its block closed and its own last event", async () => {
    const upstream = createServer((request, response) => void request.resume().on("end", () => tellAtLength(response)));
    await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
    const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await relay.addChannel({ type: CHANNEL_TYPE_ANTHROPIC, models: CLAUDE, baseUrl });
    await relay.inForce();
    const { user, token } = await relay.addCaller({ balance: 3_000 });
    const response = await fetch(`${relay.url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": token.key },
      body: chatBody(CLAUDE, { stream: true, max_tokens: 8_000 }),
    });
    const events = [...(await response.text()).matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    upstream.close();
    expect(events.slice(-4)).toEqual(["content_block_delta", "content_block_stop", "message_delta", "message_stop"]);
    expect((await relay.balanceOf(user)).quota).toBeGreaterThanOrEqual(0);
    expect((await relay.logsOf(user))[0]?.other.ended_by_balance).toBe(true);
  });

  test("sound and files in a prompt reserve what they can cost", async () => {
    const sound = { type: "input_audio", input_audio: { format: "mp3", data: "A".repeat(400_000) } };
    const file = { type: "file", file: { file_data: "A".repeat(400_000) } };
    for (const part of [sound, file]) {
      // The price of sound is that of text where the model has none of its own.
      const { token } = await relay.addCaller({ balance: part === sound ? 5_000 : 30_000 });
      const refused = await relay.post(
        token.key,
        chatBody("gpt-4.1", { messages: [{ role: "user", content: [part] }], max_tokens: 16 }),
      );
      expect([refused.status, refused.wire.error.code]).toEqual([429, "insufficient_quota"]);
    }
  });

  test("a token's limit is kept as the balance is", async () => {
    const { user, token } = await relay.addCaller(
      { balance: 100_000_000 },
      { unlimitedQuota: false, remainQuota: 50_000 },
    );
    const answers = await askTogether(token.key, [relay.url], 20, {});
    expect(answers.filter((text) => text.startsWith("data:")).length).toBeGreaterThan(0);
    const [left] = await relay.database.sql<{ remain: number }[]>`
      select remain_quota as remain from tokens where id = ${token.id}`;
    expect(left?.remain).toBeGreaterThanOrEqual(0);
    expect((await relay.logsOf(user)).filter(({ other }) => "beyond_reservation" in other)).toEqual([]);
  }, 60_000);
});
