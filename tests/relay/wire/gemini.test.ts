import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay, until } from "../harness";

const GOOGLE = ["gemini-text", "gemini-cut", "gemini-whole"];
const GPT = ["fake-gpt", "fake-cut"];
const USAGE = { promptTokenCount: 12, candidatesTokenCount: 20, thoughtsTokenCount: 5, totalTokenCount: 37 };
const WORDS = ["The river", " runs through", " the weir."];

type Seen = { url: string; key: unknown; body: { contents?: unknown } };
const relay = setUpRelay({ prices: [...GOOGLE, ...GPT].join(",") });
const seen: Seen[] = [];
let google: Server;

function candidate(text: string, isLast: boolean): object {
  const content = { parts: [{ text }], role: "model" };
  return {
    candidates: [{ content, ...(isLast ? { finishReason: "STOP" } : {}), index: 0 }],
    usageMetadata: USAGE,
    modelVersion: "gemini-text-001",
    responseId: "r1",
  };
}

/** As Google does: the path names the model; a stream has no mark of its end. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  const { url = "" } = request;
  seen.push({ url, key: request.headers["x-goog-api-key"], body: JSON.parse(text) as Seen["body"] });
  if (url.endsWith(":generateContent") || url.includes("gemini-whole")) {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify(candidate(WORDS.join(""), true), null, 2));
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [at, word] of WORDS.entries()) {
    if (url.includes("gemini-cut") && at === 2) return void setTimeout(() => response.destroy(), 50);
    response.write(`data: ${JSON.stringify(candidate(word, at === WORDS.length - 1))}\r\n\r\n`);
  }
  response.end();
}

beforeAll(async () => {
  google = createServer((request, response) => void answer(request, response));
  await new Promise<void>((done) => google.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(google.address() as AddressInfo).port}`;
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models: GOOGLE.join(","), key: "g-key" });
  await relay.addChannel({ models: GPT.join(",") });
  await relay.inForce();
});
afterAll(() => {
  google.close();
  google.closeAllConnections();
});

const body = JSON.stringify({ contents: [{ role: "user", parts: [{ text: "Tell me of the weir." }] }] });

async function ask(model: string, verb: string) {
  const { user, token } = await relay.addCaller();
  const response = await fetch(`${relay.url}/v1beta/models/${model}:${verb}`, {
    method: "POST",
    headers: { "x-goog-api-key": token.key, "content-type": "application/json" },
    body,
  });
  const type = response.headers.get("content-type") ?? "";
  return { user, status: response.status, type, text: await response.text() };
}

type Answer = {
  candidates?: { content: { parts: { text: string }[] }; finishReason?: string }[];
  usageMetadata?: object;
  error?: object;
};
const textOf = (answers: Answer[]) =>
  answers.map((one) => one.candidates?.[0]?.content.parts.map(({ text }) => text).join("") ?? "").join("");
const eventsOf = (text: string) =>
  [...text.matchAll(/^data: (.*?)\r?$/gm)].map(([, data = ""]) => JSON.parse(data) as Answer);

async function rowOf(user: number) {
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  return (await relay.logsOf(user))[0];
}

describe.each([
  ["an upstream of its own dialect", "gemini-text", "The river runs through the weir.", { prompt: 12, completion: 25 }],
  ["an upstream that speaks OpenAI's", "fake-gpt", "The river runs through", { prompt: 12, completion: 13 }],
])("a caller of Google's format with %s", (_name, model, sentence, { prompt, completion }) => {
  const charged = { type: 2, prompt, completion, quota: prompt + 2 * completion, model };

  test("reads the whole answer, and is charged for what the upstream reports", async () => {
    const { user, status, text } = await ask(model, "generateContent");
    expect(status).toBe(200);
    const told = JSON.parse(text) as Answer;
    expect(textOf([told])).toContain(sentence);
    expect(told.candidates?.[0]?.finishReason).toBe("STOP");
    expect(told.usageMetadata).toMatchObject({ promptTokenCount: 12 });
    expect(await rowOf(user)).toMatchObject({ ...charged, stream: false });
  });

  test("reads events where it asks for them", async () => {
    const { user, type, text } = await ask(model, "streamGenerateContent?alt=sse");
    expect(type).toContain("text/event-stream");
    const events = eventsOf(text);
    expect(textOf(events)).toContain(sentence);
    expect(events.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP");
    expect(events.length).toBeGreaterThan(2);
    expect(await rowOf(user)).toMatchObject({ ...charged, stream: true });
  });

  test("reads an array where it does not", async () => {
    const { user, type, text } = await ask(model, "streamGenerateContent");
    expect(type).toContain("application/json");
    const items = JSON.parse(text) as Answer[];
    expect(textOf(items)).toContain(sentence);
    expect(items.at(-1)?.candidates?.[0]?.finishReason).toBe("STOP");
    expect(items.length).toBeGreaterThan(2);
    expect(await rowOf(user)).toMatchObject({ ...charged, stream: true });
  });
});

describe.each(["gemini-cut", "fake-cut"])("a caller of Google's format whose stream breaks off (%s)", (model) => {
  test("is told at the end of the events, in a way that Google's clients cannot overlook", async () => {
    const { text } = await ask(model, "streamGenerateContent?alt=sse");
    expect(eventsOf(text).some(({ candidates }) => candidates?.[0]?.finishReason !== undefined)).toBe(false);
    const last = text.slice(text.lastIndexOf('\n{"error"'));
    expect(JSON.parse(last)).toMatchObject({ error: { code: 500, status: "INTERNAL" } });
  });

  test("is told by the last item of the array", async () => {
    const items = JSON.parse((await ask(model, "streamGenerateContent")).text) as Answer[];
    expect(items.at(-1)).toMatchObject({ error: { code: 500 } });
    expect(items.some(({ candidates }) => candidates?.[0]?.finishReason !== undefined)).toBe(false);
  });
});

test("a whole answer in place of a stream is the only item of the array", async () => {
  const { text } = await ask("gemini-whole", "streamGenerateContent");
  expect(textOf(JSON.parse(text) as Answer[])).toBe(WORDS.join(""));
});

describe("OpenAI's client with an upstream that speaks Google's", () => {
  test("reads whole and streamed answers", async () => {
    const { user, token } = await relay.addCaller();
    const openai = relay.clientFor(token.key);
    const messages = [{ role: "user" as const, content: "Tell me of the weir." }];
    const whole = await openai.chat.completions.create({ model: "gemini-text", messages });
    expect(whole.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: WORDS.join("") } });
    expect(whole.usage).toMatchObject({ prompt_tokens: 12, completion_tokens: 25 });
    const streamed = await openai.chat.completions.stream({ model: "gemini-text", messages }).finalChatCompletion();
    expect(streamed.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: WORDS.join("") } });
    await until(async () => (await relay.logsOf(user)).length === 2, 10_000);
    const rows = await relay.logsOf(user);
    expect(rows.map(({ quota }) => quota)).toEqual([62, 62]);
    const [first, second] = seen.slice(-2);
    expect(first).toMatchObject({ url: "/v1beta/models/gemini-text:generateContent", key: "g-key" });
    expect(second?.url).toBe("/v1beta/models/gemini-text:streamGenerateContent?alt=sse");
    expect(first?.body.contents).toEqual([{ role: "user", parts: [{ text: "Tell me of the weir." }] }]);
  });
});

test("errors are in Google's shape", async () => {
  const { status, text } = await ask("no-such-model", "generateContent");
  expect(JSON.parse(text)).toMatchObject({ error: { code: status, message: expect.any(String) } });
  const { token } = await relay.addCaller();
  const response = await fetch(`${relay.url}/v1beta/models/gemini-text:generateContent?key=${token.key}`, {
    method: "POST",
    body: JSON.stringify({ contents: [], tools: [] }),
  });
  expect(await response.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
});
