// Who: upstreams of pictures, speech and transcripts that count as providers of conversations do: what was read from a cache, what
// was thought, and of what kind a token is, in any published form of a usage object (docs/usage-forms.md).
// What must hold: one reader knows all of them, whole and streamed, and in realtime sessions, too.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { readUsage } from "@/lib/relay/side/realtime/session-books";
import { setUpRelay, until } from "../relay/harness";
import { fileOf, form, wave } from "../relay/media-harness";

type Json = Record<string, unknown>;
const openaisNames = { input_tokens: 40, output_tokens: 60, total_tokens: 100 };
const chatsNames = { prompt_tokens: 40, completion_tokens: 60, total_tokens: 100 };

/** 40 tokens were read, 30 of them from a cache, and 60 written. */
const FORMS: Readonly<Record<string, Json>> = {
  "in OpenAI's details": { ...openaisNames, input_tokens_details: { cached_tokens: 30 } },
  "in the details of a session": { ...openaisNames, input_token_details: { cached_tokens: 30 } },
  "in chat's details": { ...chatsNames, prompt_tokens_details: { cached_tokens: 30 } },
  "at the top, as Moonshot has it": { ...chatsNames, cached_tokens: 30 },
  "at the top, as DeepSeek has it": { ...chatsNames, prompt_cache_hit_tokens: 30 },
  "beside the prompt, as Anthropic has it": { input_tokens: 10, output_tokens: 60, cache_read_input_tokens: 30 },
  "with thoughts in the total alone": { ...chatsNames, completion_tokens: 20, cached_tokens: 30 },
  "with thoughts beside what was written": {
    ...{ prompt_tokens: 40, completion_tokens: 20, cached_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 40 },
  },
};
const NAMES = Object.keys(FORMS);
/** Text 1, cached 0.1, written 2. */
const DUE = 10 + 3 + 2 * 60;

const modelOf = (at: number): string => `gpt-image-counts-${at}-end`;
const MODELS = NAMES.map((_, at) => modelOf(at));

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts).toString("latin1");
  const usage = FORMS[NAMES[Number(/counts-(\d+)-end/.exec(body)?.[1])] ?? ""];
  const { url: path = "" } = request;
  const isStream = body.includes('"stream":true') || path.endsWith("/speech");
  response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  const picture = { b64_json: "d2hvbGU=" };
  if (path.endsWith("/speech")) {
    const events = [
      { type: "speech.audio.delta", audio: "d2hvbGU=" },
      { type: "speech.audio.done", usage },
    ];
    return void response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
  }
  if (path.endsWith("/transcriptions")) return void response.end(JSON.stringify({ text: "hello", usage }));
  if (!isStream) return void response.end(JSON.stringify({ created: 1, data: [picture], usage }));
  response.end(`data: ${JSON.stringify({ type: "image_generation.completed", ...picture, usage })}\n\n`);
});

const relay = setUpRelay({
  prices: MODELS.join(","),
  options: { CacheRatio: Object.fromEntries(MODELS.map((model) => [model, 0.1])) },
  channels: [],
});
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await relay.addChannel({ type: CHANNEL_TYPE.openai, baseUrl, models: MODELS.join(",") });
  await relay.inForce();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const input = "The weir holds back the water of the river. ".repeat(4);
/** Path and body, by the model. */
const REQUESTS: Readonly<Record<string, (model: string) => [string, Json | FormData]>> = {
  pictures: (model) => ["/v1/images/generations", { model, prompt: input }],
  "streamed pictures": (model) => ["/v1/images/generations", { model, prompt: input, stream: true }],
  speech: (model) => ["/v1/audio/speech", { model, input, voice: "alloy", stream_format: "sse" }],
  transcripts: (model) => ["/v1/audio/transcriptions", form({ model, file: fileOf(wave(20)) })],
};

async function charge(path: string, body: Json | FormData): Promise<number[]> {
  const { user, token } = await relay.addCaller({ balance: 100_000_000 });
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token.key}`,
      ...(body instanceof FormData ? {} : { "content-type": "application/json" }),
    },
    body: body instanceof FormData ? body : JSON.stringify(body),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  return (await relay.logsOf(user)).map(({ quota }) => quota);
}

describe("caches and thoughts are read in every form (B318)", () => {
  test.each(Object.entries(REQUESTS))("of %s", async (_, bodyOf) => {
    const charges = await Promise.all(NAMES.map(async (name, at) => [name, await charge(...bodyOf(modelOf(at)))]));
    expect(charges).toEqual(NAMES.map((name) => [name, [DUE]]));
  });

  test.each(NAMES)("of a session: %s", (name) => {
    const usage = readUsage(FORMS[name]);
    expect(usage).toMatchObject({ promptTokens: 40, completionTokens: 60, cachedTokens: 30 });
  });

  // alibabacloud.com/help/en/model-studio/qwen-tts-realtime-server-events: the details have their names in the plural.
  test("of a session of Qwen's", () => {
    const usage = {
      ...{ input_tokens: 2_554, output_tokens: 383, total_tokens: 2_937 },
      input_tokens_details: { text_tokens: 2_512, audio_tokens: 42 },
      output_tokens_details: { text_tokens: 90, audio_tokens: 293 },
    };
    expect(readUsage(usage)).toMatchObject({ audioPromptTokens: 42, audioCompletionTokens: 293 });
  });

  test("of a session that says nothing, or only zeros: what was written is counted", () => {
    const odd = [null, {}, { input_tokens: 0, output_tokens: 0, total_tokens: 0 }, { output_tokens: 20 }];
    for (const usage of odd) expect([usage, readUsage(usage)]).toEqual([usage, null]);
  });
});
