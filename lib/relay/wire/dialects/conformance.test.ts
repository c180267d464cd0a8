import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../testing/collect-events";
import { listDialectFiles, readChunksFixture, readJsonFixture } from "../../../testing/dialect-fixtures";
import type { ChatEvent } from "../canonical/event";
import type { Frame } from "../canonical/machine";
import type { AssistantPart, ChatRequest, Message, UserPart } from "../canonical/request";
import type { ChatResponse } from "../canonical/response";
import { InvalidRequest } from "../canonical/wire-error";
import { dialects } from ".";
import { effortOf } from "./common/thinking-budget";
import type { Dialect, RenderContext, UpstreamTarget } from "./dialect";

const all = [...dialects.values()];
const pairs = all.flatMap((caller) => all.map((upstream) => [caller.id, upstream.id, { caller, upstream }] as const));
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1_741_569_952 };
/** Where Google's path names the model, and says whether to stream. */
const path = (isStream = false): string => `/v1beta/models/m:${isStream ? "streamGenerateContent" : "generateContent"}`;
/** What a dialect has no words for. */
const unsaid: Readonly<Record<string, readonly string[]>> = {
  "openai-chat": ["searches"],
  "anthropic-messages": ["chances"],
  "gemini-generate-content": ["user", "parallelToolCalls", "cacheWriteTokens", "name"],
};
/** Whose documents are named by an address or an id that other upstreams cannot read. */
const hasForeignFiles = new Set(["anthropic-messages", "gemini-generate-content"]);
const target: UpstreamTarget = {
  model: "m",
  canReportStreamUsage: true,
  systemPrompt: { text: "", isForced: false },
};

const files = [
  ...["decode-messages", "decode-request", "decode-response", "decode-stream", "encode-messages", "encode-request"],
  ...["cut-short", "error", "facts", "finish-reason", "images", "index", "limits", "options"],
  ...["pass-edits", "pass-through"],
  ...["render-response", "render-stream", "resume-stream", "texts", "usage"],
].map((name) => `${name}.ts`);
const answers = [
  "text",
  "parallel-tools",
  "thinking",
  "thinking-signature",
  "redacted-thinking",
  "usage-cache",
  "citations",
];
const END_EVENTS = new Set<string | null>(["message_stop", "response.completed"]);
const requests = ["text", "tools", "tool-results", "images", "thinking", "json-schema"];
const fixtures = [
  ...answers.flatMap((name) => [`${name}.answer.json`, `${name}.chunks.txt`]),
  ...[...requests, "documents"].map((name) => `${name}.request.json`),
  ...["error.answer.json", "error.chunks.txt", "cut.chunks.txt"],
];

test.each(all.map(({ id }) => id))("%s has the files and fixtures that every dialect has", (id) => {
  expect(listDialectFiles(id)).toEqual(expect.arrayContaining(files));
  expect(listDialectFiles(id, "__fixtures__").filter((name) => fixtures.includes(name))).toEqual([...fixtures].sort());
});

function decodeFrames({ upstream }: Dialect, frames: readonly Frame[], isClean = true): ChatEvent[] {
  const decoder = upstream.streamDecoder();
  return [...frames.flatMap((frame) => decoder.step(frame)), ...decoder.end(isClean)];
}

function renderFrames({ client }: Dialect, events: readonly ChatEvent[], isClean = true): Frame[] {
  const renderer = client.streamRenderer(context);
  return [...events.flatMap((event) => renderer.step(event)), ...renderer.end(isClean)];
}

function decodeAnswer(dialect: Dialect, name: string): ChatResponse {
  const response = dialect.upstream.decode(readJsonFixture(dialect.id, `${name}.answer`));
  if (!response) throw new Error(`${name} of ${dialect.id} is no answer`);
  return response;
}

describe.each(all.map((dialect) => [dialect.id, dialect] as const))("%s", (id, dialect) => {
  test.each(answers)("%s says the same streamed and not", (name) => {
    const streamed = collectEvents(decodeFrames(dialect, readChunksFixture(id, name)));
    const whole = decodeAnswer(dialect, name);
    expect(streamed).toEqual({ response: whole, error: null, hasEnded: true });
    expect(whole.usage).not.toBeNull();
    const scan = dialect.upstream.passThrough;
    const frames = scan.frameReader({ withholdUsage: false, readUsage: dialect.upstream.readUsage });
    for (const frame of readChunksFixture(id, name)) {
      const isEnd = frame.data === "[DONE]" || END_EVENTS.has(frame.event);
      expect(frames.read(frame)).toSatisfy((kind) => (isEnd ? kind === "end" : kind === "content" || kind === "empty"));
    }
    expect(frames.usage()).toEqual(whole.usage);
    expect(frames.finishReason()).toEqual(whole.choices[0]?.finishReason);
  });

  test("an error is one, as a body and as an event", () => {
    const body = readJsonFixture(id, "error.answer");
    const { hasFailed, hasAnswer, frameReader } = dialect.upstream.passThrough;
    expect(hasFailed(body)).toBe(true);
    const [last] = readChunksFixture(id, "error").slice(-1);
    const frames = frameReader({ withholdUsage: false, readUsage: dialect.upstream.readUsage });
    expect(last && frames.read(last)).toBe("error");
    expect(dialect.upstream.decode(body)).toBeNull();
    for (const name of answers) {
      const answer = readJsonFixture(id, `${name}.answer`);
      expect([hasFailed(answer), hasAnswer(answer)], name).toEqual([false, true]);
    }
  });
});

type ToldAnswer = { finish: string; parts: unknown[]; usage: unknown; more: unknown };

/** The parts of a response that every translation must preserve. */
function toldAnswer({ choices, usage }: ChatResponse, { id }: Dialect): ToldAnswer {
  const [choice] = choices;
  const parts = (choice?.content ?? []).map((part) => {
    if (part.type === "tool-call") return { ...part, arguments: JSON.parse(part.arguments) };
    return part.type === "text" ? { type: part.type, text: part.text } : part;
  });
  const texts = (choice?.content ?? []).flatMap((part) => (part.type === "text" ? [part] : []));
  const sources = texts.flatMap(({ citations = [] }) => citations.map(({ url, title }) => [url, title]));
  const searches = choice?.searches?.map(({ queries, sources: found }) => [queries, found.map(({ url }) => url)]);
  const chances = texts.flatMap(({ logprobs = [] }) =>
    logprobs.map(({ token, logprob, alternatives }) => [token, logprob, alternatives.map((one) => one.token)]),
  );
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens } = usage ?? {};
  return {
    finish: choice?.finishReason.unified ?? "",
    parts,
    more: said(id, { sources, searches, chances }),
    usage: said(id, { promptTokens, completionTokens, cachedTokens, cacheWriteTokens }),
  };
}

/** Without what this dialect has no words for. */
function said(id: string, told: object): object {
  return Object.fromEntries(Object.entries(told).filter(([name]) => !unsaid[id]?.includes(name)));
}

describe.each(pairs)("a caller of %s at an upstream of %s", (_caller, _upstream, { caller, upstream }) => {
  test.each(answers)("gets the answer %s whole", (name) => {
    const answer = decodeAnswer(upstream, name);
    const again = caller.upstream.decode(caller.client.renderResponse(answer, context));
    expect(again && toldAnswer(again, caller)).toEqual(toldAnswer(answer, caller));
    expect(again?.model).toBe("m");
  });

  test.each(["logprobs"].filter(() => upstream.id !== "anthropic-messages"))("gets the %s of an answer", (name) => {
    const answer = decodeAnswer(upstream, name);
    const told = toldAnswer(answer, caller);
    const again = caller.upstream.decode(caller.client.renderResponse(answer, context));
    expect(again && toldAnswer(again, caller)).toEqual(told);
    const events = decodeFrames(upstream, readChunksFixture(upstream.id, name));
    const streamed = collectEvents(decodeFrames(caller, renderFrames(caller, events)));
    expect(toldAnswer(streamed.response, caller)).toEqual(told);
    expect(JSON.stringify(toldAnswer(collectEvents(events).response, upstream))).toContain("-0.25");
  });

  test.each(answers)("gets the answer %s streamed", (name) => {
    const events = decodeFrames(upstream, readChunksFixture(upstream.id, name));
    const again = collectEvents(decodeFrames(caller, renderFrames(caller, events)));
    expect(toldAnswer(again.response, caller)).toEqual(toldAnswer(collectEvents(events).response, caller));
    expect([again.hasEnded, again.error]).toEqual([true, null]);
  });

  test.each([true, false])("is told of an error in the stream, and gets no end (closed cleanly: %s)", (isClean) => {
    const events = decodeFrames(upstream, readChunksFixture(upstream.id, "error"));
    const again = collectEvents(decodeFrames(caller, renderFrames(caller, events, isClean)));
    expect(again.error?.message).toContain(collectEvents(events).error?.message);
    expect(again.hasEnded).toBe(false);
    expect(again.response.choices[0]?.finishReason.raw).toBe("");
  });

  test("gets what came of a stream that is cut, and no end", () => {
    const events = decodeFrames(upstream, readChunksFixture(upstream.id, "cut"), false);
    const again = collectEvents(decodeFrames(caller, renderFrames(caller, events, false), false));
    expect(again.response.choices[0]?.content).toEqual([{ type: "text", text: "Once upon a ti" }]);
    expect([again.hasEnded, again.response.choices[0]?.finishReason.raw]).toEqual([false, ""]);
    const error = { message: "broken off", type: "upstream_error", param: null, code: null };
    const cut = collectEvents(decodeFrames(caller, caller.client.renderCut(error, "r1"), false));
    expect(cut.error?.message).toContain("broken off");
    expect(cut.hasEnded).toBe(false);
  });

  test.each(requests)("asks the same with the request %s", (name) => {
    const asked = sayable(upstream, caller.client.decode(readJsonFixture(caller.id, `${name}.request`), path()));
    const again = upstream.client.decode(encode(upstream, asked), path(asked.isStream));
    expect(said(upstream.id, toldRequest(again))).toEqual(said(upstream.id, toldRequest(asked)));
    // Signed thinking is sent only to the upstream that signed it.
    const ofAnthropic = upstream.id === "anthropic-messages" && caller.id !== "gemini-generate-content";
    if (ofAnthropic || (upstream === caller && upstream.id === "gemini-generate-content"))
      expect(thoughts(again)).toEqual(thoughts(asked));
    if (name === "thinking") expect(thoughts(asked)).not.toEqual([]);
  });

  test("sends documents, or is refused what the upstream cannot read", () => {
    const asked = caller.client.decode(readJsonFixture(caller.id, "documents.request"), path());
    if (hasForeignFiles.has(caller.id) && upstream.id !== caller.id) {
      expect(() => encode(upstream, asked)).toThrow(InvalidRequest);
      return;
    }
    const again = upstream.client.decode(encode(upstream, asked), path());
    const hasNames = !unsaid[upstream.id]?.includes("name");
    expect(media(again, hasNames)).toEqual(media(asked, hasNames));
    expect(media(again)).not.toEqual([]);
  });
});

function encode(upstream: Dialect, asked: ChatRequest) {
  const body = upstream.upstream.encode(asked, target);
  return { ...body, ...upstream.upstream.passEdits(body, upstream.client.readFacts(body, path()), target) };
}

/** The request without stop texts where they cannot be said, once it has been refused for them. */
function sayable(upstream: Dialect, asked: ChatRequest): ChatRequest {
  if (upstream.id !== "openai-responses" || asked.stop === undefined) return asked;
  expect(() => encode(upstream, asked)).toThrow(InvalidRequest);
  const { stop: _, ...rest } = asked;
  return rest;
}

const parts = (message: Message): readonly (UserPart | AssistantPart)[] => message.content;

function thoughts({ messages }: ChatRequest): unknown[] {
  return messages.flatMap(parts).filter(({ type }) => type === "thinking" || type === "redacted-thinking");
}

function media({ messages }: ChatRequest, hasNames = true): unknown[] {
  return messages.flatMap(parts).flatMap((part) => {
    if (part.type === "file") return hasNames ? [part.name, part.source] : [part.source];
    return part.type === "image" ? [part.source] : [];
  });
}

/** The parts of a request that every translation must preserve. */
function toldRequest(request: ChatRequest): object {
  const { maxTokens, temperature, stop, user, responseFormat, isStream, toolChoice, parallelToolCalls } = request;
  const { messages, tools, thinking } = request;
  const texts = messages.flatMap((message) =>
    parts(message).flatMap((part) =>
      part.type === "text" && !part.text.startsWith("Attached to") ? [[message.role, part.text]] : [],
    ),
  );
  const calls = messages.flatMap(parts).flatMap((part) => (part.type === "tool-call" ? [part] : []));
  return {
    ...{ maxTokens, temperature, stop, user, responseFormat, isStream, toolChoice, parallelToolCalls, texts },
    tools: tools?.map(({ name, description, parameters }) => ({ name, description, parameters })),
    media: media(request),
    calls: calls.map(({ id, name, arguments: values }) => [id, name, JSON.parse(values)]),
    results: messages.flatMap((message) => (message.role === "tool" ? [[message.toolCallId, message.toolName]] : [])),
    effort: thinking?.type === "budget" ? effortOf(thinking.tokens) : thinking?.type === "effort" && thinking.effort,
  };
}
