import { describe, expect, test } from "vitest";
import { readJsonFixture } from "../../../../testing/dialect-fixtures";
import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { decodeRequest } from "./decode-request";
import { renderCut, renderError } from "./error";
import { readFacts, readKey } from "./facts";
import { imageUrls, withImages } from "./images";
import { passEdits } from "./pass-edits";
import { passThrough } from "./pass-through";
import { answerTexts, frameTexts, promptTexts, promptWords } from "./texts";
import { mergeUsage, readUsage, renderUsage } from "./usage";

const messages = [{ role: "user", content: "hi" }];
const ask = (rest: Json = {}): Json => ({ model: "m", max_tokens: 5, messages, ...rest });

test("a key is read from x-api-key, else from Authorization", () => {
  const url = "/v1/messages";
  expect(readKey({ url, headers: { "x-api-key": "sk-a", authorization: "Bearer sk-b" } })).toBe("sk-a");
  expect(readKey({ url, headers: { "x-api-key": "", authorization: "Bearer sk-b" } })).toBe("sk-b");
  expect(readKey({ url, headers: { authorization: "sk-b" } })).toBe("sk-b");
  expect(readKey({ url: "/v1/messages?key=sk-a", headers: {} })).toBe("");
});

test("what decides about a request is read from it, pictures and documents are counted wherever they are", () => {
  expect(readFacts(ask({ stream: true, temperature: "odd" }))).toEqual({
    model: "m",
    isStream: true,
    completionTokensMax: 5,
    choices: 1,
    attachments: {
      tokens: 0,
      audioTokens: 0,
      encodedBytes: 0,
      pictureBytes: 0,
      hasUnknownSize: false,
      hasStoredFiles: false,
      maySound: false,
    },
    writesAudio: false,
    asksToThink: false,
  });
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const document = { type: "document", source: { type: "url", url: "https://weir.example/a.pdf" } };
  const content = [{ type: "tool_result", content: [image] }, document];
  expect(readFacts(ask({ messages: [{ role: "user", content }] })).attachments).toEqual({
    tokens: 5_000,
    audioTokens: 0,
    encodedBytes: 4,
    pictureBytes: 4,
    hasUnknownSize: true,
    hasStoredFiles: false,
    maySound: false,
  });
});

test.each<[Json, string]>([
  [{ model: "m", messages }, "max_tokens"],
  [ask({ max_tokens: 0 }), "max_tokens"],
  [ask({ model: 1 }), "model"],
  [ask({ messages: [] }), "messages"],
  [ask({ messages: [{ role: "tool", content: "x" }] }), "messages.0.role"],
  [ask({ messages: [{ role: "user" }] }), "messages.0.content"],
  [ask({ messages: [{ role: "user", content: [{ type: "tool_result" }] }] }), "messages.0.content"],
  [ask({ tool_choice: { type: "tool" } }), "tool_choice"],
  [ask({ temperature: "hot" }), "temperature"],
  [ask({ output_config: { format: { type: "xml" } } }), "output_config"],
  [ask({ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }), "tools"],
  [ask({ tools: [{ type: "web_fetch_20250910", name: "web_fetch" }] }), "tools"],
  [ask({ mcp_servers: [{}] }), "mcp_servers"],
  [ask({ messages: [{ role: "assistant", content: [{ type: "server_tool_use" }] }] }), "messages"],
])("%o is refused and says where", (json, param) => {
  try {
    decodeRequest(json);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidRequest);
    expect(error).toMatchObject({ param });
  }
});

test("a request is understood: system, marks, results before what is said beside them, names of tools", () => {
  expect(decodeRequest(readJsonFixture("anthropic-messages", "text.request"))).toEqual({
    model: "claude-sonnet-4-20250514",
    maxTokens: 100,
    messages: [
      { role: "system", content: [{ type: "text", text: "You are terse.", cache: { type: "ephemeral" } }] },
      { role: "user", content: [{ type: "text", text: "Say hello from Bern." }] },
    ],
    temperature: 0.5,
    topK: 40,
    stop: ["END"],
    user: "user-1",
    isStream: false,
  });
  const { messages: told } = decodeRequest(readJsonFixture("anthropic-messages", "tool-results.request"));
  expect(told.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool", "user"]);
  expect(told[3]).toEqual({
    role: "tool",
    toolCallId: "toolu_01T1x1fJ34qAmk2tNTrN7Up6",
    toolName: "get_time",
    content: [{ type: "text", text: "no such zone" }],
    isError: true,
  });
});

test.each([
  [{ type: "enabled", budget_tokens: 2_000 }, {}, { type: "budget", tokens: 2_000 }],
  [{ type: "disabled" }, {}, { type: "off" }],
  [{ type: "adaptive" }, {}, { type: "effort", effort: "high" }],
  [{ type: "adaptive" }, { effort: "low" }, { type: "effort", effort: "low" }],
  [{ type: "adaptive" }, { effort: "max" }, { type: "effort", effort: "xhigh" }],
  [undefined, { effort: "low" }, undefined],
])("thinking %o with %o is understood", (thinking, outputConfig, understood) => {
  expect(decodeRequest(ask({ thinking, output_config: outputConfig })).thinking).toEqual(understood);
});

describe("errors", () => {
  const error = { message: "no", type: "new_api_error", param: null, code: null };

  test.each([
    [400, "invalid_request_error"],
    [401, "authentication_error"],
    [403, "permission_error"],
    [404, "not_found_error"],
    [413, "request_too_large"],
    [422, "invalid_request_error"],
    [429, "rate_limit_error"],
    [500, "api_error"],
    [502, "api_error"],
    [503, "overloaded_error"],
    [529, "overloaded_error"],
  ])("%i is %s", (status, type) => {
    expect(renderError(error, status, "r1")).toEqual({
      type: "error",
      error: { type, message: "no (request id: r1)" },
      request_id: "r1",
    });
  });

  test("Anthropic's own word is kept, and a stream that is broken off ends in one", () => {
    expect(renderError({ ...error, type: "overloaded_error" }, 500, "r1")).toMatchObject({
      error: { type: "overloaded_error" },
    });
    const data = '{"type":"error","error":{"type":"api_error","message":"no"},"request_id":"r1"}';
    expect(renderCut(error, "r1")).toEqual([{ event: "error", data }]);
  });
});

describe("the channel's system prompt", () => {
  const edits = (json: Json, isForced: boolean) =>
    passEdits(json, readFacts(json), {
      model: "m",
      canReportStreamUsage: false,
      systemPrompt: { text: "Be kind.", isForced },
    });

  test("is put in where there is none, and in front of the request's own when it is forced", () => {
    expect(edits(ask(), false)).toEqual({ system: "Be kind." });
    expect(edits(ask({ system: "Be short." }), false)).toEqual({});
    expect(edits(ask({ system: "Be short." }), true)).toEqual({ system: "Be kind.\nBe short." });
    const own = { type: "text", text: "Be short.", cache_control: { type: "ephemeral" } };
    expect(edits(ask({ system: [own] }), true)).toEqual({ system: [{ type: "text", text: "Be kind." }, own] });
  });
});

test("a whole stream ends as the upstream ended it, or as it should have", () => {
  const own = 'event: message_stop\ndata: {"type":"message_stop" }\n\n';
  const usual = 'event: message_stop\ndata: {"type":"message_stop"}\n\n';
  expect(passThrough.terminal(own)).toBe(own);
  expect(passThrough.terminal(own.slice(0, -1))).toBe(own);
  for (const held of ["", "event: message_stop\n", own.slice(0, -2)]) expect(passThrough.terminal(held)).toBe(usual);
});

test("usage has cache reads and writes in the prompt, and comes in two parts", () => {
  const start = {
    input_tokens: 28,
    cache_read_input_tokens: 1_920,
    cache_creation_input_tokens: 100,
    output_tokens: 1,
  };
  const merged = mergeUsage(start, { input_tokens: 0, output_tokens: 5, cache_read_input_tokens: null });
  const usage = readUsage(merged);
  expect(usage).toMatchObject({ promptTokens: 2_048, cachedTokens: 1_920, cacheWriteTokens: 100, completionTokens: 5 });
  expect(renderUsage(usage)).toEqual({ ...start, output_tokens: 5 });
  expect(readUsage({ input_tokens: 0 })).toBeNull();
  expect(renderUsage(null)).toEqual({ input_tokens: null, output_tokens: null });
});

test("texts are counted and checked in the system prompt, in messages, in results and in answers", () => {
  const request = readJsonFixture("anthropic-messages", "tool-results.request");
  expect([...promptWords({ ...request, system: "s" })]).toEqual([
    ...["s", "Weather and time in Bern?", "Let me look.", '{"degrees":21}', "no such zone", "And tomorrow?"],
  ]);
  const { texts, extra } = promptTexts(
    ask({ system: "s", tools: [{ name: "f", description: "d", input_schema: {} }] }),
  );
  expect({ texts, extra }).toEqual({ texts: ["s", "user", "hi", "f", "d", "{}"], extra: 2 + 3 });
  expect(promptTexts(request).extra).toBe(3 * 2 + 2 * 3 + 1_000);
  expect(answerTexts(readJsonFixture("anthropic-messages", "thinking-signature.answer")).texts).toEqual([
    expect.stringContaining("17 × 20"),
    "get_weather",
    '{"city":"Bern","unit":"c"}',
  ]);
  const delta = { type: "content_block_delta", delta: { type: "thinking_delta", thinking: "hm" } };
  expect(frameTexts(delta)).toEqual({ texts: ["hm"], extra: 0 });
});

test("pictures are put in place of their addresses, also inside results", () => {
  const url = "https://weir.example/a.png";
  const image = { type: "image", source: { type: "url", url } };
  const json = ask({ messages: [{ role: "user", content: [image, { type: "tool_result", content: [image] }] }] });
  expect(imageUrls(json)).toEqual([url, url]);
  const done = withImages(json, new Map([[url, "data:image/png;base64,AAAA"]]));
  expect(imageUrls(done)).toEqual([]);
  expect(JSON.stringify(done)).toContain('"source":{"type":"base64","media_type":"image/png","data":"AAAA"}');
});

test("a schema with optional properties, which Anthropic takes, is not called strict elsewhere", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, additionalProperties: false };
  const formatOf = (given: Json) =>
    decodeRequest(ask({ output_config: { format: { type: "json_schema", schema: given } } })).responseFormat;
  expect(formatOf(schema)).not.toHaveProperty("strict");
  expect(formatOf({ ...schema, required: ["a"] })).toMatchObject({ strict: true });
});
