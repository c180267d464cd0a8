import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatBody, setUpRelay } from "../harness";

const relay = setUpRelay({
  prices: "fake-gpt,voice",
  options: { AudioRatio: { voice: 20 }, ModelPrice: { "by-call": 0.002 }, GroupRatio: { default: 3 }, RetryTimes: "1" },
});
let voice: Server;
let user: number;
let key: string;
let channel: number;
let failing: number;
let speaking: number;

/** The usage that OpenAI reports for a call with audio input and output. */
const VOICE_USAGE = {
  prompt_tokens: 40,
  completion_tokens: 30,
  prompt_tokens_details: { audio_tokens: 25, cached_tokens: 0 },
  completion_tokens_details: { audio_tokens: 20 },
};

beforeAll(async () => {
  voice = createServer((_, response) => {
    const choices = [{ index: 0, message: { role: "assistant", content: "hum" }, finish_reason: "stop" }];
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "v", object: "chat.completion", choices, usage: VOICE_USAGE }));
  });
  await new Promise<void>((done) => voice.listen(0, "127.0.0.1", done));
  const baseUrl = `http://127.0.0.1:${(voice.address() as AddressInfo).port}`;
  failing = await relay.addChannel({
    models: "fake-gpt",
    priority: 10,
    modelMapping: '{"fake-gpt":"fake-error-500"}',
  });
  channel = await relay.addChannel({ models: "fake-gpt,by-call", modelMapping: '{"by-call":"fake-gpt"}' });
  speaking = await relay.addChannel({ models: "voice", baseUrl });
  await relay.inForce();
});
afterAll(async () => {
  await new Promise((done) => voice.close(done));
});

async function detailsOf(model: string, more: Record<string, unknown> = {}) {
  user = await relay.addUser();
  key = (await relay.addToken(user)).key;
  expect((await relay.post(key, chatBody(model, { max_tokens: 50, ...more }))).status).toBe(200);
  const [row] = await relay.logsOf(user);
  if (!row) throw new Error("nothing was logged");
  return row;
}

test("a log row holds the ratios in force, no fixed price, and every channel that was asked (B146)", async () => {
  const { other, quota } = await detailsOf("fake-gpt");
  expect(other).toMatchObject({
    model_ratio: 1,
    completion_ratio: 2,
    group_ratio: 3,
    model_price: -1,
    cache_tokens: 0,
    admin_info: { use_channel: [String(failing), String(channel)] },
  });
  expect(quota).toBe((12 + 2 * 13) * 3);
  // Without streaming there is no time to the first token.
  expect(other.frt).toBe(-1000);
  expect(other).not.toHaveProperty("audio");
});

test("of a streamed answer it has the time to the first token in milliseconds (B146)", async () => {
  const { other } = await detailsOf("by-call", { stream: true });
  expect(Number.isInteger(other.frt)).toBe(true);
  expect(other.frt).toBeGreaterThanOrEqual(0);
  expect(other.frt).toBeLessThan(30_000);
});

test("of a model with a fixed price it has that price (B146)", async () => {
  const { other, quota } = await detailsOf("by-call");
  expect(other).toMatchObject({ model_price: 0.002, group_ratio: 3, admin_info: { use_channel: [String(channel)] } });
  expect(quota).toBe(0.002 * 500_000 * 3);
});

test("of a call with sound it has the tokens of sound and text, in and out, with their ratios (B146)", async () => {
  const { other, quota } = await detailsOf("voice");
  expect(other).toMatchObject({
    audio: true,
    audio_input: 25,
    audio_output: 20,
    text_input: 15,
    text_output: 10,
    audio_ratio: 20,
    audio_completion_ratio: 2,
    admin_info: { use_channel: [String(speaking)] },
  });
  expect(quota).toBe((15 + 25 * 20 + 10 * 2 + 20 * 20 * 2) * 3);
});
