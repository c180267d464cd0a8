// Who: Gemini, and others that end an answer because the model wrote a call wrongly or because they failed themselves.
// What must hold: no caller takes that for an empty, normal end. Nothing was sent yet: the next channel is asked, and nothing is charged
// for the first one. Else the caller is told the reason and is charged for what it got.
// The reasons: https://ai.google.dev/api/generate-content#FinishReason,
// https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (November 2026).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { AnswerCut, AnswerRefused } from "@/lib/relay/answers/answer";
import { TranslateAnswer } from "@/lib/relay/answers/translate";
import { dialects, upstreamFormats } from "@/lib/relay/wire/dialects";
import type { UpstreamFormat } from "@/lib/relay/wire/dialects/dialect";
import { readChunksFixture, readJsonFixture } from "@/lib/testing/dialect-fixtures";
import { encodeFrames } from "@/lib/testing/encode-frames";
import { until } from "@/lib/testing/until";
import { setUpRelay } from "../relay/harness";
import { ask, CALLERS, startRawUpstream } from "./raw-upstream";

const googles = [
  ...["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE"],
  ...["MISSING_THOUGHT_SIGNATURE", "OTHER", "LANGUAGE", "A_REASON_OF_TOMORROW"],
];
const chats = [
  ...["error", "network_error", "insufficient_system_resource", "malformed_function_call", "abort"],
  "function_call_filter: UNEXPECTED_TOOL_CALL",
];
/** What each format writes where an answer ended in a failure. */
const words: Record<string, readonly string[]> = {
  "gemini-generate-content": googles,
  "openai-chat": chats,
  "anthropic-messages": ["error", "malformed_tool_use"],
  "bedrock-converse": ["malformed_tool_use", "malformed_model_output"],
  "bedrock-invoke": ["malformed_tool_use"],
  dashscope: ["network_error"],
};
const REASON = /("(?:finish_reason|finishReason|stop_reason|stopReason)" *: *)"(?!null")[^"]+"/g;

describe.each(Object.entries(words))("an answer of %s that ended in a failure", (id, reasons) => {
  const upstream = upstreamFormats.get(id) as UpstreamFormat;
  const { framing = "sse", readUsage, alwaysStreams } = upstream;
  const context = { requestId: "r1", model: "m", wantsUsage: false, createdAt: 1 };

  test.each([...dialects.values()])("is no end for a caller of $id, whole or streamed", ({ client }) => {
    for (const reason of reasons) {
      const end = (text: string): string => text.replace(REASON, (_, key: string) => key + JSON.stringify(reason));
      const frames = readChunksFixture(id, "text").map(({ event, data }) => ({ event, data: end(data) }));
      const { bytes, contentType } = encodeFrames(framing, frames);
      const streamed = new TranslateAnswer({ upstream, clientDialect: client, context, isStream: true, readUsage });
      streamed.start({ status: 200, contentType, retryAfter: undefined });
      const failure = failureOf(() => {
        // Event by event, so that the text was passed on before its end.
        for (const frame of frames) streamed.push(encodeFrames(framing, [frame]).bytes);
        streamed.end();
      });
      expect([reason, failure instanceof AnswerCut]).toEqual([reason, true]);
      expect((failure as AnswerCut).reported?.error.read((text) => text).message).toContain(reason);
      expect(bytes.length).toBeGreaterThan(0);
      if (alwaysStreams) continue;
      const whole = new TranslateAnswer({ upstream, clientDialect: client, context, isStream: false, readUsage });
      whole.start({ status: 200, contentType: "application/json", retryAfter: undefined });
      const refused = failureOf(() => {
        whole.push(Buffer.from(end(JSON.stringify(readJsonFixture(id, "text.answer")))));
        whole.end();
      });
      expect([reason, refused instanceof AnswerRefused]).toEqual([reason, true]);
    }
  });
});

function failureOf(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return null;
}

test("calls that are whole are an ordinary end, also by a reason that is not known", () => {
  const upstream = upstreamFormats.get("gemini-generate-content") as UpstreamFormat;
  const call = { functionCall: { name: "f", args: {} } };
  const body = { candidates: [{ content: { parts: [call] }, finishReason: "TOOL_CALLS", index: 0 }] };
  expect(upstream.wholeBody.hasFailed(body)).toBe(false);
  expect(upstream.decode(body)?.choices[0]?.finishReason.unified).toBe("tool-calls");
});

const MODEL = "gemini-2.5-flash";
const CHAT = "gpt-4.1";
const TALK = "Malformed function call: print(default_api.get_weather(city=";
const relay = setUpRelay({ prices: `${MODEL},${CHAT}`, options: { RetryTimes: "2", StreamContinuation: "false" } });
let first: Awaited<ReturnType<typeof startRawUpstream>>;
let second: Awaited<ReturnType<typeof startRawUpstream>>;
const usageMetadata = { promptTokenCount: 2_595, totalTokenCount: 2_595 };
const bad = { candidates: [{ finishReason: "MALFORMED_FUNCTION_CALL", finishMessage: TALK, index: 0 }], usageMetadata };
const part = (text: string) => ({ content: { role: "model", parts: [{ text }] }, index: 0 });
const good = {
  candidates: [{ ...part("It rains."), finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 },
};
const shown = (json: object, path: string): string =>
  path.includes("stream") ? `data: ${JSON.stringify(json)}\n\n` : JSON.stringify(json);
const sent = (path: string, json: object) => ({
  headers: { "content-type": path.includes("stream") ? "text/event-stream" : "application/json" },
  body: shown(json, path),
});
let spare = 0;

beforeAll(async () => {
  first = await startRawUpstream();
  second = await startRawUpstream();
  await relay.addChannel({ baseUrl: first.url, models: MODEL, type: CHANNEL_TYPE.gemini, priority: 9 });
  spare = await relay.addChannel({ baseUrl: second.url, models: MODEL, type: CHANNEL_TYPE.gemini, priority: 1 });
  await relay.inForce();
});
afterAll(() => Promise.all([first.close(), second.close()]));

describe.each([false, true])("a broken call, streamed: %s", (stream) => {
  test.each(CALLERS)("is asked of the next channel for %s, which alone is charged", async (caller) => {
    first.answer(({ path }) => sent(path, bad));
    second.answer(({ path }) => sent(path, good));
    const { user, token } = await relay.addCaller();
    const { status, text } = await ask({ url: relay.url, key: token.key }, caller, MODEL, stream);
    expect([status, first.seen.length, second.seen.length]).toEqual([200, 1, 1]);
    expect(text).toContain("It rains.");
    await until(async () => (await relay.logsOf(user)).length === 1);
    expect((await relay.logsOf(user))[0]).toMatchObject({ prompt: 10, completion: 3, quota: 16, channel: spare });
  });

  test.each(CALLERS)("that every channel answers is told %s with its reason, and costs nothing", async (caller) => {
    first.answer(({ path }) => sent(path, bad));
    second.answer(({ path }) => sent(path, bad));
    const { user, token } = await relay.addCaller();
    const { status, text } = await ask({ url: relay.url, key: token.key }, caller, MODEL, stream);
    expect(status).toBe(502);
    expect(text).toContain("MALFORMED_FUNCTION_CALL");
    expect(text).toContain("print(default_api.get_weather");
    await until(async () => (await relay.logsOf(user)).length === 1);
    expect((await relay.logsOf(user))[0]).toMatchObject({ quota: 0 });
    expect(await relay.balanceOf(user)).toMatchObject({ used: 0 });
  });
});

test.each(CALLERS)("a broken call behind text is told %s, who is charged for the text", async (caller) => {
  first.answer(({ path }) => ({ ...sent(path, { candidates: [part("Let me look.")] }), rest: shown(bad, path) }));
  const { user, token } = await relay.addCaller();
  const onHead = () => first.release();
  const { status, text } = await ask({ url: relay.url, key: token.key, onHead }, caller, MODEL, true);
  expect(status).toBe(200);
  expect(text).toContain("Let me look.");
  expect(text).toContain("MALFORMED_FUNCTION_CALL");
  expect(text).toContain("print(default_api.get_weather");
  expect(text).not.toMatch(/\[DONE\]|message_stop|response\.completed|"finishReason":"STOP"/);
  await until(async () => (await relay.logsOf(user)).length === 1);
  const [row] = await relay.logsOf(user);
  expect(row?.completion).toBeGreaterThan(0);
  expect(row?.quota).toBeGreaterThan(0);
});

test("an unknown reason behind text passes to a caller of Google's own format as it came", async () => {
  const end = { candidates: [{ finishReason: "A_REASON_OF_TOMORROW", index: 0 }], usageMetadata: good.usageMetadata };
  first.answer(({ path }) => ({ ...sent(path, { candidates: [part("Let me look.")] }), rest: shown(end, path) }));
  const { token } = await relay.addCaller();
  const onHead = () => first.release();
  const { text } = await ask({ url: relay.url, key: token.key, onHead }, "gemini-generate-content", MODEL, true);
  expect(text).toContain("A_REASON_OF_TOMORROW");
  expect(text).not.toContain('"error"');
});
