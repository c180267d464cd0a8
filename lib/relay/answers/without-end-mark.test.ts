import { describe, expect, test } from "vitest";
import { Secrets } from "../base/secrets";
import { geminiGenerateContent } from "../wire/dialects/gemini-generate-content";
import { openaiChat } from "../wire/dialects/openai-chat";
import { type Answer, AnswerCut, AnswerRefused } from "./answer";
import { PassThroughAnswer } from "./pass-through";
import { TranslateAnswer } from "./translate";

const { upstream } = geminiGenerateContent;
const { readUsage } = upstream;

function passed(isStream = true): Answer {
  const secrets = new Secrets("", [], "");
  return new PassThroughAnswer({
    dialect: upstream,
    isStream,
    withholdUsage: false,
    readUsage,
    reshape: null,
    secrets,
  });
}

function translated(isStream = true): Answer {
  const context = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };
  return new TranslateAnswer({ upstream, clientDialect: openaiChat.client, context, isStream, readUsage });
}

const json = (parts: object[], finishReason?: string, tokens = 1) => ({
  candidates: [{ content: { parts, role: "model" }, ...(finishReason ? { finishReason } : {}), index: 0 }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: tokens, thoughtsTokenCount: 50 },
  responseId: "x",
});
const event = (parts: object[], finishReason?: string, tokens?: number): string =>
  `data: ${JSON.stringify(json(parts, finishReason, tokens))}\r\n\r\n`;
const error = 'data: {"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}\n\n';
const call = { functionCall: { name: "f", args: { text: "a long text", list: [{ x: 1 }] } } };

function run(answer: Answer, text: string, size = 65_536): string {
  answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
  const bytes = Buffer.from(text);
  let sent = "";
  for (let at = 0; at < bytes.length; at += size) sent += answer.push(bytes.subarray(at, at + size)) ?? "";
  sent += answer.end() ?? "";
  return sent + answer.ending().toString();
}

describe.each([
  ["passed through", passed],
  ["translated", translated],
])("a stream without a mark of its end, %s", (_name, open) => {
  test.each([1, 13, 65_536])("is whole with its reason and a clean end (pieces of %i bytes)", (size) => {
    const answer = open();
    const told = run(answer, event([{ text: "Once" }]) + event([{ text: " upon" }], "STOP", 5), size);
    expect(told).toContain("Once");
    expect(told).toContain(" upon");
    expect(answer.report()).toMatchObject({ isComplete: true, finishReason: { unified: "stop" } });
    expect(answer.report().usage).toMatchObject({ promptTokens: 9, completionTokens: 55, reasoningTokens: 50 });
  });

  test("is whole in one event", () => {
    expect(run(open(), event([{ text: "Once" }], "STOP"))).toContain("Once");
  });

  test("is no success without a reason, or within a line", () => {
    expect(() => run(open(), "")).toThrow(AnswerRefused);
    expect(() => run(open(), event([{ text: "Once" }]))).toThrow(AnswerCut);
    expect(() => run(open(), `${event([{ text: "Once" }])}data: {"candi`)).toThrow(AnswerCut);
    expect(() => run(open(), `${event([{ text: "Once" }], "STOP")}data: {"candi`)).toThrow(AnswerCut);
  });

  test("with an error is refused before it begins, and cut after", () => {
    expect(() => run(open(), error)).toThrow(AnswerRefused);
    expect(() => run(open(), event([{ text: "Once" }]) + error, 40)).toThrow(AnswerCut);
  });

  test("that is cut reports the usage so far, with thoughts that were not shown", () => {
    const answer = open();
    expect(() => run(answer, event([{ text: "Once" }]) + event([{ text: " upon" }], undefined, 7))).toThrow(AnswerCut);
    expect(answer.report()).toMatchObject({ isComplete: false, usage: { promptTokens: 9, completionTokens: 57 } });
  });

  test("with a call ends for it, and its arguments count as text", () => {
    const answer = open();
    run(answer, event([{ text: "See" }]) + event([call]) + event([{ text: "" }], "STOP"));
    expect(answer.report().finishReason?.unified).toBe("tool-calls");
    expect(answer.report().textBytes()).toBeGreaterThanOrEqual(JSON.stringify(call.functionCall.args).length);
  });

  test("as a body is an answer", () => {
    const answer = open(false);
    const told = run(answer, JSON.stringify(json([{ text: "Once" }, call], "STOP"), null, 2));
    expect(told).toContain("Once");
    expect(answer.report().usage).toMatchObject({ promptTokens: 9, completionTokens: 51 });
    expect(() => run(open(false), '{"error":{"code":503,"message":"no"}}')).toThrow(AnswerRefused);
    expect(() => run(open(false), '{"usageMetadata":{"promptTokenCount":3}}')).toThrow(AnswerRefused);
  });

  test("is stopped with the reason of its length", () => {
    const answer = open();
    answer.start({ status: 200, contentType: "text/event-stream", retryAfter: undefined });
    answer.push(Buffer.from(event([{ text: "Once" }])));
    expect(answer.cutShort().toString()).toMatch(/MAX_TOKENS|"length"/);
  });
});
