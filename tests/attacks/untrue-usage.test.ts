// Who: an upstream (a reseller's, or one that an attacker runs) that reports usage nobody caused, or a model whose answer
// contains an object named "usage"; a caller who hangs up after a first frame that reports nothing yet.
// What must hold: usage is believed from its one place and up to what the request can have caused: what was sent, asked for and
// delivered. What goes beyond is charged up to that, marked, and counted against the channel; what was delivered is never free.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chatBody, setUpRelay, until } from "../relay/harness";

const MODEL = "gpt-4.1";
const THINKS = "o3";
const TEXT = "The river runs through the weir, evenly and without a sound. ".repeat(4);

type Script = (response: ServerResponse) => void;

let script: Script;
const upstream = createServer((request, response) => void request.resume().on("end", () => script(response)));

function whole(more: object, content = TEXT): Script {
  const message = { role: "assistant", content };
  return (response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ id: "x", choices: [{ index: 0, message, finish_reason: "stop" }], ...more }));
  };
}

const frame = (more: object): string =>
  `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", ...more })}\n\n`;
const delta = (content: string): string => frame({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });

function streamed(frames: string[], ends: boolean): Script {
  return (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const text of frames) response.write(text);
    if (ends) response.end("data: [DONE]\n\n");
    else setTimeout(() => response.destroy(), 30);
  };
}

const usageOf = (prompt: number, completion: number) => ({ prompt_tokens: prompt, completion_tokens: completion });

describe("usage that an upstream reports", () => {
  const relay = setUpRelay({ prices: `${MODEL},${THINKS}` });

  beforeAll(async () => {
    await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
    const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    await relay.addChannel({ models: `${MODEL},${THINKS}`, baseUrl });
    await relay.inForce();
  });
  afterAll(() => void upstream.close());

  async function charged(answer: Script, more: Record<string, unknown> = {}, model = MODEL) {
    const { user, token } = await relay.addCaller({ balance: 100_000_000 });
    script = answer;
    await relay.post(token.key, chatBody(model, more)).catch(() => null);
    await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
    const [log] = await relay.logsOf(user);
    if (!log) throw new Error("the request was not logged");
    return log;
  }

  test.each([
    ["a billion prompt tokens", usageOf(999_999_999, 10)],
    ["a billion completion tokens", usageOf(12, 999_999_999)],
    ["both", usageOf(500_000, 500_000)],
  ])(
    "%s are charged up to what the request can have caused, the log says so, and the channel's health too",
    async (_, usage) => {
      for (const [answer, more] of [
        [whole({ usage }), {}],
        [streamed([delta(TEXT), frame({ choices: [], usage })], true), { stream: true }],
      ] as const) {
        const log = await charged(answer, more);
        // The bytes that were sent, and what an upstream adds of its own.
        expect(log.prompt).toBeLessThanOrEqual(4_096 + 200);
        // The bytes of the text, and what opens and ends it.
        expect(log.completion).toBeLessThanOrEqual(Buffer.byteLength(TEXT) + 64);
        expect(log.other).toMatchObject({ estimated: true, outcome: "usage", usage_rejected: usage });
      }
    },
  );

  test("an object named usage that is not the answer's own is not read", async () => {
    const nested = { citations: [{ usage: usageOf(3_000, 60) }] };
    const log = await charged(whole({ usage: usageOf(12, 50), ...nested }));
    expect([log.prompt, log.completion]).toEqual([12, 50]);
    const none = await charged(whole(nested));
    expect(none.other.estimated).toBe(true);
    const inText = await charged(whole({ usage: usageOf(12, 50) }, `${TEXT} "usage":{"prompt_tokens":3000}`));
    expect([inText.prompt, inText.completion]).toEqual([12, 50]);
    const call = { usage: usageOf(3_000, 60), choices: [] };
    const stream = await charged(
      streamed([delta(TEXT), frame({ choices: [], tool: call }), frame({ choices: [], usage: usageOf(12, 50) })], true),
      { stream: true },
    );
    expect([stream.prompt, stream.completion]).toEqual([12, 50]);
  });

  test("a first frame that reports no completion makes a stream that is cut neither free nor short", async () => {
    const first = frame({ choices: [{ index: 0, delta: { role: "assistant" } }], usage: usageOf(12, 0) });
    const log = await charged(streamed([first, delta(TEXT), delta(TEXT)], false), { stream: true });
    expect(log.prompt).toBe(12);
    expect(log.completion).toBeGreaterThan(80);
    expect(log.other).toMatchObject({ outcome: "cut", estimated: true });
    const reported = frame({ choices: [{ index: 0, delta: { content: TEXT } }], usage: usageOf(12, 5) });
    const early = await charged(streamed([reported, delta(TEXT)], false), { stream: true });
    expect(early.completion).toBeGreaterThan(80);
  });

  test("a whole answer with text and no completion tokens is counted", async () => {
    const log = await charged(whole({ usage: usageOf(12, 0) }));
    expect(log.completion).toBeGreaterThan(20);
  });

  test("thinking that does not show is believed of a model that thinks, up to what it can write", async () => {
    const log = await charged(whole({ usage: usageOf(12, 90_000) }), {}, THINKS);
    expect(log.completion).toBe(90_000);
    const limited = await charged(whole({ usage: usageOf(12, 90_000) }), { max_completion_tokens: 2_000 }, THINKS);
    expect(limited.other.usage_rejected).toMatchObject({ completion_tokens: 90_000 });
    const text = Buffer.byteLength(TEXT);
    expect(limited.completion).toBeLessThanOrEqual(2_000 + text + 64);
    expect((await charged(whole({ usage: usageOf(12, 90_000) }))).completion).toBeLessThanOrEqual(text + 64);
  });
});
