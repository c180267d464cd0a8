// Who: an upstream that reports an error in the middle of its stream, in each format that upstreams speak.
// What must hold: the caller is told what happened in its own dialect, without the channel's key, and never that the stream is whole.
// https://docs.anthropic.com/en/docs/build-with-claude/streaming#error-events,
// https://platform.openai.com/docs/api-reference/responses-streaming/response/failed (November 2026).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { AnswerCut } from "@/lib/relay/answers/answer";
import { PassThroughAnswer } from "@/lib/relay/answers/pass-through";
import { TranslateAnswer } from "@/lib/relay/answers/translate";
import { Secrets } from "@/lib/relay/base/secrets";
import { dialects, upstreamFormats } from "@/lib/relay/wire/dialects";
import type { UpstreamFormat } from "@/lib/relay/wire/dialects/dialect";
import { readChunksFixture } from "@/lib/testing/dialect-fixtures";
import { encodeFrames } from "@/lib/testing/encode-frames";
import { until } from "@/lib/testing/until";
import { setUpRelay } from "../relay/harness";
import { ask, CALLERS, type CallerId, startRawUpstream } from "./raw-upstream";

const MESSAGE = /^(message|msg|Msg|error|error_msg)$/;
/** The messages in a frame. */
function messages(value: unknown, key = ""): string[] {
  if (typeof value === "string") return MESSAGE.test(key) && value !== "" ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => messages(inner, name));
}

const secrets = new Secrets("", [], "");

function cutOf(push: () => unknown): AnswerCut {
  try {
    push();
  } catch (error) {
    if (error instanceof AnswerCut) return error;
    throw error;
  }
  throw new Error("the stream was not cut");
}

describe.each([...upstreamFormats])("an error event of %s behind the first text", (id, upstream: UpstreamFormat) => {
  const { framing = "sse", readUsage } = upstream;
  const begun = readChunksFixture(id, "text").slice(0, -1);
  const error = readChunksFixture(id, "error").at(-1);
  if (!error) throw new Error(id);
  const words = messages(JSON.parse(error.data));

  test.each([...dialects.values()])("reaches a caller of $id in its words", ({ client }) => {
    const context = { requestId: "r1", model: "m", wantsUsage: false, createdAt: 1 };
    const answer = new TranslateAnswer({ upstream, clientDialect: client, context, isStream: true, readUsage });
    const { bytes, contentType } = encodeFrames(framing, begun);
    answer.start({ status: 200, contentType, retryAfter: undefined });
    expect(answer.push(bytes)).not.toBeNull();
    const cut = cutOf(() => answer.push(encodeFrames(framing, [error]).bytes));
    const told = cut.reported && secrets.open(cut.reported.error);
    expect(words.some((text) => told?.message.includes(text))).toBe(true);
  });

  const dialect = dialects.get(id)?.upstream;
  test.skipIf(!dialect)("and a caller of the same format", () => {
    if (!dialect) return;
    const rest = { readUsage, withholdUsage: false, reshape: null, secrets };
    const answer = new PassThroughAnswer({ dialect, isStream: true, ...rest });
    answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
    answer.push(encodeFrames("sse", begun).bytes);
    const cut = cutOf(() => answer.push(encodeFrames("sse", [error]).bytes));
    expect(words.some((text) => cut.reported && secrets.open(cut.reported.error).message.includes(text))).toBe(true);
  });
});

const KEY = "sk-upstream-0123456789abcdef";
const SAYS = `The engine fell over while it held ${KEY}`;
const data = (json: unknown): string => `data: ${JSON.stringify(json)}\n\n`;
const named = (type: string, rest: object): string => `event: ${type}\n${data({ type, ...rest })}`;
const delta = (text: string): string =>
  data({ id: "c", choices: [{ index: 0, delta: { content: text }, finish_reason: null }] });
const claude = [
  named("message_start", { message: { id: "msg_1", model: "m", usage: { input_tokens: 3, output_tokens: 1 } } }),
  named("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  named("content_block_delta", { index: 0, delta: { type: "text_delta", text: "Once upon" } }),
].join("");
const responses = [
  named("response.created", { sequence_number: 0, response: { id: "resp_theirs", object: "response", output: [] } }),
  named("response.output_text.delta", { sequence_number: 1, output_index: 0, content_index: 0, delta: "Once upon" }),
].join("");

type Format = { type: number; setting?: string; begun: string; error: string; contentType?: string };
/** What a channel of each type answers: text, then an error. */
const formats: Record<string, Format> = {
  chat: {
    type: CHANNEL_TYPE.openai,
    begun: delta("Once upon"),
    error: data({ error: { message: SAYS, type: "server_error", code: 503 } }),
  },
  plain: { type: CHANNEL_TYPE.openai, begun: delta("Once upon"), error: `event: error\ndata: ${SAYS}\n\n` },
  messages: {
    type: CHANNEL_TYPE.anthropic,
    begun: claude,
    error: named("error", { error: { type: "overloaded_error", message: SAYS } }),
  },
  responses: {
    type: CHANNEL_TYPE.openai,
    setting: '{"speaks_responses":true}',
    begun: responses,
    error: named("response.failed", {
      sequence_number: 2,
      response: { id: "resp_theirs", status: "failed", error: { code: "server_error", message: SAYS } },
    }),
  },
  gemini: {
    type: CHANNEL_TYPE.gemini,
    begun: data({ candidates: [{ content: { role: "model", parts: [{ text: "Once upon" }] }, index: 0 }] }),
    error: data({ error: { code: 503, message: SAYS, status: "UNAVAILABLE" } }),
  },
  cohere: {
    type: CHANNEL_TYPE.cohere,
    begun: data({ type: "content-delta", index: 0, delta: { message: { content: { text: "Once upon" } } } }),
    error: data({ type: "message-end", delta: { finish_reason: "ERROR", error: SAYS } }),
  },
  ollama: {
    type: CHANNEL_TYPE.ollama,
    contentType: "application/x-ndjson",
    begun: `${JSON.stringify({ model: "m", message: { role: "assistant", content: "Once upon" }, done: false })}\n`,
    error: `${JSON.stringify({ error: SAYS })}\n`,
  },
};

const relay = setUpRelay({
  prices: Object.keys(formats)
    .map((name) => `m-${name}`)
    .join(","),
  options: { RetryTimes: "0" },
});
let upstream: Awaited<ReturnType<typeof startRawUpstream>>;
let isBegun = true;

beforeAll(async () => {
  upstream = await startRawUpstream("text/event-stream");
  upstream.answer(({ path, body }) => {
    const name = String(body.model ?? /models\/m-(\w+)/.exec(path)?.[1] ?? "").replace(/^m-/, "");
    const { begun, error, contentType = "text/event-stream" } = formats[name] as Format;
    // Only calls of the Responses API are answered in it.
    const own = name === "responses" && !path.includes("responses") ? formats.chat : null;
    const [first, last] = own ? [own.begun, own.error] : [begun, error];
    return {
      headers: { "content-type": contentType },
      body: isBegun ? first : last,
      ...(isBegun ? { rest: last } : {}),
    };
  });
  for (const [name, { type, setting }] of Object.entries(formats)) {
    await relay.addChannel({
      baseUrl: upstream.url,
      models: `m-${name}`,
      type,
      key: KEY,
      ...(setting ? { setting } : {}),
    });
  }
  await relay.inForce();
});
afterAll(() => upstream.close());

const asking = (key: string) => ({ url: relay.url, key, onHead: () => upstream.release() });

/** How each caller is told, and what an end would look like. */
const told: Record<CallerId, { has: RegExp[]; ends: RegExp }> = {
  "openai-chat": { has: [/data: \{"error":\{"message":"The engine fell over[^}]*"type":"\w+"/], ends: /\[DONE\]/ },
  "anthropic-messages": {
    has: [
      /event: error\ndata: \{"type":"error","error":\{"type":"(overloaded|api)_error","message":"The engine fell over/,
    ],
    ends: /message_stop/,
  },
  "openai-responses": {
    has: [
      /event: error\ndata: \{"type":"error","sequence_number":\d+,[^\n]*The engine fell over/,
      /event: response.failed\ndata: \{"type":"response.failed"[^\n]*"status":"failed","error":\{"code":"\w+","message":"The engine fell over/,
    ],
    ends: /response\.completed|response\.incomplete/,
  },
  "gemini-generate-content": {
    has: [/^\{"error":\{"code":50\d,"message":"The engine fell over[^\n]*"status":"\w+"/m],
    ends: /finishReason/,
  },
};

/** Asks as each caller does, one after the other because each lets its own upstream go on, and waits for the rows of all. */
async function askAll(name: string) {
  const callers = await Promise.all(CALLERS.map(async (caller) => ({ caller, ...(await relay.addCaller()) })));
  const asked: { caller: CallerId; user: number; status: number; text: string }[] = [];
  for (const { caller, user, token } of callers) {
    asked.push({ caller, user, ...(await ask(asking(token.key), caller, `m-${name}`, true)) });
  }
  return Promise.all(
    asked.map(async (one) => {
      await until(async () => (await relay.logsOf(one.user)).length === 1);
      const [row] = await relay.logsOf(one.user);
      return { ...one, row };
    }),
  );
}

describe.each(Object.keys(formats))("a gateway whose upstream speaks %s and fails in mid-stream", (name) => {
  test("tells callers of every dialect why, without the key, and charges what it delivered", async () => {
    isBegun = true;
    for (const { caller, status, text, row } of await askAll(name)) {
      expect([caller, status]).toEqual([caller, 200]);
      expect(text).toContain("Once upon");
      for (const pattern of told[caller].has) expect(text).toMatch(pattern);
      expect(text).not.toMatch(told[caller].ends);
      expect(text).not.toContain(KEY);
      expect([caller, (row?.quota ?? 0) > 0]).toEqual([caller, true]);
      expect(JSON.stringify(row?.other)).toContain("The engine fell over");
      expect(JSON.stringify(row?.other)).not.toContain(KEY);
    }
  });

  test("tells them the same before the first text, and charges nothing", async () => {
    isBegun = false;
    for (const { caller, status, text, row } of await askAll(name)) {
      expect([caller, status >= 500]).toEqual([caller, true]);
      expect(text).toContain("The engine fell over");
      expect(text).not.toContain(KEY);
      expect([caller, row?.quota]).toEqual([caller, 0]);
    }
  });
});

test("a response that failed has the id and goes on with the numbers of the one that began", async () => {
  isBegun = true;
  const { token } = await relay.addCaller();
  for (const name of ["responses", "messages", "gemini"]) {
    const { text } = await ask(asking(token.key), "openai-responses", `m-${name}`, true);
    const events = text
      .split("\n")
      .filter((line) => line.startsWith("data: "))
      .map((line) => JSON.parse(line.slice(6)));
    const [first] = events;
    const last = events.at(-1);
    expect(last).toMatchObject({ type: "response.failed", response: { id: first.response.id, status: "failed" } });
    const numbers = events.map(({ sequence_number: number }) => number);
    expect(numbers).toEqual(numbers.map((_, at) => at));
  }
});
