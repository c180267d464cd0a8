// Who: an upstream whose answers a lenient client reads and a strict reader of JSON does not, or that writes them in another
// form than usual, and that reports no usage.
// What must hold: what is passed on is charged by the length of its text; it never has a completion of 0.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PassThroughAnswer } from "@/lib/relay/answers/pass-through";
import { Secrets } from "@/lib/relay/base/secrets";
import { openaiChat } from "@/lib/relay/wire/dialects/openai-chat";
import { setUpRelay, until } from "../relay/harness";

const CHAT = "gpt-4.1";
const CLAUDE = "claude-3-5-haiku-20241022";
const GEMINI = "gemini-2.0-flash";
const WORDS = "The river runs through the weir, evenly and without a sound. ".repeat(20);
/** 260 tokens, and what an estimate by lengths makes of them. */
const [LEAST, MOST] = [200, 700];

const relay = setUpRelay({ prices: `${CHAT},${CLAUDE},${GEMINI}` });
let body = "";
let contentType = "application/json";
const upstream = createServer((request, response: ServerResponse) => {
  request.resume().on("end", () => response.writeHead(200, { "content-type": contentType }).end(body));
});

beforeAll(async () => {
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await relay.addChannel({ baseUrl, models: CHAT, setting: '{"speaks_responses":true}' });
  await relay.addChannel({ baseUrl, models: CLAUDE, type: 14 });
  await relay.addChannel({ baseUrl, models: GEMINI, type: 24 });
  await relay.inForce();
});
afterAll(() => void upstream.close());

const messages = [{ role: "user", content: "hi" }];
const paths = {
  chat: ["/v1/chat/completions", { model: CHAT, messages }],
  responses: ["/v1/responses", { model: CHAT, input: "hi" }],
  messages: ["/v1/messages", { model: CLAUDE, max_tokens: 2_000, messages }],
  gemini: [`/v1beta/models/${GEMINI}:generateContent`, { contents: [{ role: "user", parts: [{ text: "hi" }] }] }],
} as const;

async function charged(wire: keyof typeof paths, answer: string, isStream: boolean) {
  body = answer;
  contentType = isStream ? "text/event-stream" : "application/json";
  const { user, token } = await relay.addCaller();
  const [path, asked] = paths[wire];
  const streamed = path.replace(":generateContent", ":streamGenerateContent?alt=sse");
  const response = await fetch(`${relay.url}${isStream ? streamed : path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
    body: JSON.stringify(isStream && wire !== "gemini" ? { ...asked, stream: true } : asked),
  });
  expect(await response.text()).toContain("The river runs");
  await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
  return (await relay.logsOf(user))[0];
}

/** Wrong in one place that many readers do not mind. */
const faults: readonly [what: string, spoil: (json: string) => string][] = [
  ["a comma too many", (json) => json.replace(/}$/, ",}")],
  [
    "an escape that is none",
    (json) => json.replace("The river", "The\\x river").replace("The\\x river", "The river\\x"),
  ],
  ["a number that is none", (json) => json.replace(/}$/, ',"score":NaN}')],
];

const wholes: Record<keyof typeof paths, object> = {
  chat: { id: "x", choices: [{ index: 0, message: { role: "assistant", content: WORDS }, finish_reason: "stop" }] },
  responses: {
    ...{ id: "resp_1", object: "response", status: "completed" },
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: WORDS, annotations: [] }] }],
  },
  messages: {
    ...{ id: "m", type: "message", role: "assistant", model: CLAUDE, stop_reason: "end_turn" },
    content: [{ type: "text", text: WORDS }],
  },
  gemini: { candidates: [{ content: { role: "model", parts: [{ text: WORDS }] }, finishReason: "STOP" }] },
};

test.each(Object.keys(wholes) as (keyof typeof paths)[])(
  "%s: a whole answer that cannot be read is counted",
  async (wire) => {
    for (const [what, spoil] of faults) {
      const log = await charged(wire, spoil(JSON.stringify(wholes[wire])), false);
      expect(log?.other.estimated, what).toBe(true);
      expect(log?.completion, what).toBeGreaterThan(LEAST);
      expect(log?.completion, what).toBeLessThan(MOST);
    }
  },
);

test("an event that cannot be read and passes on its own is counted", () => {
  const secrets = new Secrets("k", [], "");
  const { upstream: dialect } = openaiChat;
  const { readUsage } = dialect;
  const settings = { dialect, isStream: true, withholdUsage: false, readUsage, reshape: null, secrets };
  const answer = new PassThroughAnswer(settings);
  answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
  const delta = (content: string): Buffer =>
    Buffer.from(`data: {"choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`);
  answer.push(delta("The river runs"));
  const odd = delta(WORDS.replaceAll("weir,", "weir\\x,"));
  expect(answer.push(odd)?.equals(odd)).toBe(true);
  const { isAll, length } = answer.report().sample();
  expect(isAll).toBe(false);
  expect(length.asciiBytes).toBeGreaterThan(WORDS.length);
});

test("an answer in parts is counted, and its usage is believed, whole and streamed", async () => {
  const content = [
    { type: "thinking", thinking: [{ type: "text", text: WORDS }] },
    { type: "text", text: WORDS },
  ];
  const whole = { choices: [{ index: 0, message: { role: "assistant", content }, finish_reason: "stop" }] };
  const frame = (json: object): string => `data: ${JSON.stringify(json)}\n\n`;
  const stream = (usage: object): string =>
    frame({ choices: [{ index: 0, delta: { content } }] }) +
    frame({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }], ...usage }) +
    "data: [DONE]\n\n";
  const usage = { usage: { prompt_tokens: 9, completion_tokens: 540 } };
  expect((await charged("chat", JSON.stringify(whole), false))?.completion).toBeGreaterThan(2 * LEAST);
  expect((await charged("chat", stream({}), true))?.completion).toBeGreaterThan(2 * LEAST);
  expect((await charged("chat", JSON.stringify({ ...whole, ...usage }), false))?.completion).toBe(540);
  expect((await charged("chat", stream(usage), true))?.completion).toBe(540);
});
