// Who: an upstream whose answer has calls of tools and ends by "stop", by a word of its own, or by none at all.
// What must hold: the caller is told in its own words that tools are to be run; clients run none otherwise.
// https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons: with `tool_use` the client runs the tool, with
// `end_turn` it takes the answer for the last one. https://platform.openai.com/docs/api-reference/chat/object: `tool_calls`.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Answer } from "@/lib/relay/answers/answer";
import { PassThroughAnswer } from "@/lib/relay/answers/pass-through";
import { TranslateAnswer } from "@/lib/relay/answers/translate";
import { Secrets } from "@/lib/relay/base/secrets";
import { dialects, upstreamFormats } from "@/lib/relay/wire/dialects";
import type { ClientDialect, RenderContext, UpstreamFormat } from "@/lib/relay/wire/dialects/dialect";
import { readAbsent, readChunksFixture, readJsonFixture } from "@/lib/testing/dialect-fixtures";
import { encodeFrames } from "@/lib/testing/encode-frames";
import { setUpRelay } from "../relay/harness";

/** The fields in which formats say why an answer ended. Responses has none: "completed" is right for calls, too. */
const REASON = /("(?:finish_reason|finishReason|FinishReason|stop_reason|stopReason|done_reason)" *: *)"[^"]+"/g;
/** The reasons of DashScope's answers that go on. */
const GOES_ON = new Set(["null", ""]);
const wrongWords = ["stop", "STOP", "eos", "eos_token", "end_turn", "tool_call", "COMPLETE", "finished"];

function endBy(word: string | null, text: string): string {
  return text.replace(REASON, (all, key: string) => {
    if (GOES_ON.has(all.slice(key.length + 1, -1))) return all;
    return `${key}${word === null ? "null" : JSON.stringify(word)}`;
  });
}

const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };

function translated(
  upstream: UpstreamFormat,
  clientDialect: ClientDialect,
  isStream: boolean,
  bytes: Buffer,
  type: string,
) {
  const { readUsage } = upstream;
  return textOf(new TranslateAnswer({ upstream, clientDialect, context, isStream, readUsage }), bytes, type);
}

function textOf(answer: Answer, bytes: Buffer, contentType: string): string {
  answer.start({ status: 200, contentType, retryAfter: undefined });
  const parts = [answer.push(bytes), answer.end(), answer.ending()];
  return Buffer.concat(parts.filter((part) => part !== null)).toString("utf8");
}

/** How each caller is told that tools are to be run; Google has no word for it but that of a normal end. */
const told: Record<string, { says: RegExp; denies?: RegExp }> = {
  "openai-chat": { says: /"finish_reason":"tool_calls"/, denies: /"finish_reason":"(?!tool_calls)/ },
  "anthropic-messages": { says: /"stop_reason":"tool_use"/, denies: /"stop_reason":"(?!tool_use)/ },
  "gemini-generate-content": { says: /"finishReason":"STOP"/, denies: /"finishReason":"(?!STOP)/ },
  "openai-responses": { says: /"status":"completed"/, denies: /"status":"incomplete"/ },
};

function expectCalls(caller: string, text: string): void {
  expect(text).toContain("get_weather");
  expect(text).toMatch(told[caller]?.says ?? /^$/);
  expect(text).not.toMatch(told[caller]?.denies ?? /^$/);
}

const speaking = [...upstreamFormats].filter(([id]) => {
  const { answers = {} } = readAbsent(id);
  return !("parallel-tools" in answers);
});

describe.each(speaking)("an answer of %s with calls that ends by another word", (id, upstream) => {
  const whole = JSON.stringify(readJsonFixture(id, "parallel-tools.answer"));
  const frames = readChunksFixture(id, "parallel-tools");
  const { framing = "sse", alwaysStreams } = upstream;

  test.each([...dialects.keys()])("tells a caller of %s to run the tools", (caller) => {
    const dialect = dialects.get(caller)?.client as ClientDialect;
    for (const word of wrongWords) {
      const { bytes, contentType } = encodeFrames(
        framing,
        frames.map(({ event, data }) => ({ event, data: endBy(word, data) })),
      );
      expectCalls(caller, translated(upstream, dialect, true, bytes, contentType));
      if (alwaysStreams) expectCalls(caller, translated(upstream, dialect, false, bytes, contentType));
      else {
        const body = Buffer.from(endBy(word, whole));
        expectCalls(caller, translated(upstream, dialect, false, body, "application/json"));
        expectCalls(caller, translated(upstream, dialect, true, body, "application/json"));
      }
    }
  });
});

test.each(["tool_calls", "tool_use", "tool_call"])(
  "an answer without calls that ends by %s is an ordinary end",
  (word) => {
    const body = { id: "c", choices: [{ index: 0, message: { content: "It rains." }, finish_reason: word }] };
    const upstream = upstreamFormats.get("openai-chat") as UpstreamFormat;
    const clientDialect = dialects.get("anthropic-messages")?.client as ClientDialect;
    const bytes = Buffer.from(JSON.stringify(body));
    expect(translated(upstream, clientDialect, false, bytes, "application/json")).toContain('"stop_reason":"end_turn"');
  },
);

test.each(["length", "content_filter"])("an answer with calls that was cut for %s keeps that reason", (word) => {
  const upstream = upstreamFormats.get("openai-chat") as UpstreamFormat;
  const whole = JSON.stringify(readJsonFixture("openai-chat", "parallel-tools.answer"));
  const clientDialect = dialects.get("openai-responses")?.client as ClientDialect;
  const text = translated(upstream, clientDialect, false, Buffer.from(endBy(word, whole)), "application/json");
  expect(text).toContain('"status":"incomplete"');
});

test("a stream with calls that ends without any reason tells to run the tools, too", () => {
  const upstream = upstreamFormats.get("openai-chat") as UpstreamFormat;
  const frames = readChunksFixture("openai-chat", "parallel-tools").map(({ event, data }) => ({
    event,
    data: endBy(null, data),
  }));
  for (const id of ["anthropic-messages", "gemini-generate-content", "openai-responses"]) {
    const clientDialect = dialects.get(id)?.client as ClientDialect;
    const { bytes, contentType } = encodeFrames("sse", frames);
    expectCalls(id, translated(upstream, clientDialect, true, bytes, contentType));
  }
});

const secrets = new Secrets("", [], "");
/** Where an upstream speaks the caller's format, and that format has a word for calls. */
const samePairs = ["openai-chat", "anthropic-messages"];

describe.each(samePairs)("a compatible server of %s that denies its calls", (id) => {
  const dialect = dialects.get(id)?.upstream;
  const passed = (bytes: Buffer, isStream: boolean, hasTools = true): string => {
    if (!dialect) throw new Error(id);
    const { readUsage } = dialect;
    const rest = { readUsage, withholdUsage: false, reshape: null, secrets };
    const answer = new PassThroughAnswer({ dialect, isStream, hasTools, ...rest });
    return textOf(answer, bytes, isStream ? "text/event-stream" : "application/json");
  };

  test("is put right in the same format, whole and streamed, however the stream is divided", () => {
    const whole = JSON.stringify(readJsonFixture(id, "parallel-tools.answer"));
    for (const word of wrongWords) {
      expectCalls(id, passed(Buffer.from(endBy(word, whole)), false));
      const frames = readChunksFixture(id, "parallel-tools").map(({ event, data }) => ({
        event,
        data: endBy(word, data),
      }));
      expectCalls(id, passed(encodeFrames("sse", frames).bytes, true));
      const one = encodeFrames("sse", frames).bytes;
      if (!dialect) continue;
      const { readUsage } = dialect;
      const answer = new PassThroughAnswer({
        dialect,
        isStream: true,
        hasTools: true,
        readUsage,
        withholdUsage: false,
        reshape: null,
        secrets,
      });
      answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
      const parts: Buffer[] = [];
      for (let at = 0; at < one.length; at += 7) parts.push(answer.push(one.subarray(at, at + 7)) ?? Buffer.alloc(0));
      expectCalls(id, Buffer.concat([...parts, answer.end() ?? Buffer.alloc(0), answer.ending()]).toString());
      expect(answer.report().finishReason?.unified).toBe("tool-calls");
    }
  });

  test("keeps the bytes of an answer that tells the truth", () => {
    const whole = JSON.stringify(readJsonFixture(id, "parallel-tools.answer"));
    expect(passed(Buffer.from(whole), false)).toBe(whole);
    const stream = encodeFrames("sse", readChunksFixture(id, "parallel-tools")).bytes;
    expect(passed(stream, true).trimEnd()).toBe(stream.toString("utf8").trimEnd());
  });
});

test("the older form with one function ends by its own word", () => {
  const dialect = dialects.get("openai-chat")?.upstream;
  if (!dialect) throw new Error("openai-chat");
  const call = { name: "get_weather", arguments: "{}" };
  const body = {
    id: "c",
    choices: [{ index: 0, message: { content: null, function_call: call }, finish_reason: "stop" }],
  };
  const { readUsage } = dialect;
  const rest = { readUsage, withholdUsage: false, reshape: null, secrets };
  const answer = new PassThroughAnswer({ dialect, isStream: false, hasTools: true, ...rest });
  expect(textOf(answer, Buffer.from(JSON.stringify(body)), "application/json")).toContain(
    '"finish_reason":"function_call"',
  );
});

const CHAT = "gpt-4.1";
const CLAUDE = "claude-3-5-haiku-20241022";
const relay = setUpRelay({ prices: `${CHAT},${CLAUDE}` });
const upstream = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const id = request.url?.includes("messages") ? "anthropic-messages" : "openai-chat";
    const isStream = (JSON.parse(Buffer.concat(parts).toString()) as { stream?: boolean }).stream === true;
    const frames = readChunksFixture(id, "parallel-tools").map(({ event, data }) => ({
      event,
      data: endBy("stop", data),
    }));
    const { bytes, contentType } = encodeFrames("sse", frames);
    const whole = endBy("stop", JSON.stringify(readJsonFixture(id, "parallel-tools.answer")));
    response.writeHead(200, { "content-type": isStream ? contentType : "application/json" });
    response.end(isStream ? bytes : whole);
  });
});

beforeAll(async () => {
  await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  await relay.addChannel({ baseUrl, models: CHAT });
  await relay.addChannel({ baseUrl, models: CLAUDE, type: CHANNEL_TYPE.anthropic });
  await relay.inForce();
});
afterAll(() => void upstream.close());

const parameters = { type: "object", properties: {} };
const messages = [{ role: "user", content: "How is the weather?" }];
const functions = [{ type: "function", function: { name: "get_weather", parameters } }];
const asks: Record<string, (model: string) => [path: string, body: Record<string, unknown>]> = {
  "openai-chat": (model) => ["/v1/chat/completions", { model, messages, tools: functions }],
  "anthropic-messages": (model) => [
    "/v1/messages",
    { model, max_tokens: 99, messages, tools: [{ name: "get_weather", input_schema: parameters }] },
  ],
  "openai-responses": (model) => [
    "/v1/responses",
    { model, input: "hi", tools: [{ type: "function", name: "get_weather", parameters }] },
  ],
};

test.each([CHAT, CLAUDE])("callers of a gateway run the tools of %s, streamed and not", async (model) => {
  const { token } = await relay.addCaller();
  for (const [id, ask] of Object.entries(asks)) {
    for (const stream of [false, true]) {
      const [path, body] = ask(model);
      const response = await fetch(`${relay.url}${path}`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${token.key}` },
        body: JSON.stringify({ ...body, stream }),
      });
      expectCalls(id, await response.text());
    }
  }
});
