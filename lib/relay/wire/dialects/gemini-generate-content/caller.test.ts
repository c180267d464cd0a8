import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import type { ChatEvent } from "../../canonical/event";
import type { Json } from "../../canonical/json";
import type { Frame } from "../../canonical/machine";
import { InvalidRequest } from "../../canonical/wire-error";
import { anthropicMessages } from "../anthropic-messages";
import { checkNames } from "../common/known-names";
import type { RenderContext, UpstreamTarget } from "../dialect";
import { openaiChat } from "../openai-chat";
import { geminiGenerateContent } from ".";

const { client, upstream } = geminiGenerateContent;
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };
const target = (model: string): UpstreamTarget => ({
  model,
  canReportStreamUsage: true,
  systemPrompt: { text: "", isForced: false },
});
const PATH = "/v1beta/models/m:generateContent";
const user = (...parts: Json[]): Json => ({ role: "user", parts });
const model = (...parts: Json[]): Json => ({ role: "model", parts });
const call = { functionCall: { name: "f", args: { x: 1 } } };
const decode = (...contents: Json[]) => client.decode({ contents }, PATH).messages;

const configured = (generationConfig: Json) =>
  client.decode({ contents: [user({ text: "x" })], generationConfig }, PATH);

test("a schema is strict elsewhere where OpenAI takes it as strict; Google's own form leaves nothing open", () => {
  const own = { type: "OBJECT", properties: { a: { type: "STRING" } } };
  const formatOf = (schema: Json) => configured({ responseMimeType: "application/json", ...schema }).responseFormat;
  const whole = formatOf({ responseSchema: { ...own, required: ["a"] } });
  expect(whole).toMatchObject({ strict: true, schema: { additionalProperties: false } });
  expect(formatOf({ responseSchema: own })).not.toHaveProperty("strict");
  const open = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };
  expect(formatOf({ responseJsonSchema: open })).not.toHaveProperty("strict");
  expect(formatOf({ responseJsonSchema: { ...open, additionalProperties: false } })).toMatchObject({ strict: true });
});

test("an empty list of stop texts is none, because OpenAI refuses it", () => {
  expect(configured({ stopSequences: [] })).not.toHaveProperty("stop");
});

test("the text of a result is told alone, however the client wraps it", () => {
  const textOf = (response: Json) =>
    decode(user({ text: "a" }), model(call), user({ functionResponse: { name: "f", response } }))[2]?.content;
  for (const response of [{ output: "sunny" }, { result: "sunny" }, { name: "f", content: "sunny" }]) {
    expect(textOf(response)).toEqual([{ type: "text", text: "sunny" }]);
  }
  const other = { name: "g", content: "sunny" };
  expect(textOf(other)).toEqual([{ type: "text", text: JSON.stringify(other) }]);
});

describe("a caller of Google's format", () => {
  test("names the model, and says whether to stream, in the path", () => {
    const json = { contents: [user({ text: "a" })] };
    const facts = (path: string) => client.readFacts(json, path);
    expect(facts("/v1beta/models/gemini-2.5-pro:streamGenerateContent")).toMatchObject({
      model: "gemini-2.5-pro",
      isStream: true,
    });
    expect(facts("/v1/models/a%2Fb:generateContent")).toMatchObject({ model: "a/b", isStream: false });
    expect(() => facts("/v1beta/models/m:countTokens")).toThrow(InvalidRequest);
    expect(client.pathWithModel?.("/v1beta/models/m:streamGenerateContent", "n")).toBe(
      "/v1beta/models/n:streamGenerateContent",
    );
  });

  test("cannot give a field twice in two spellings, of which the upstream might read the other one", () => {
    const contents = [user({ text: "a" })];
    const check = (json: Json) => checkNames({ contents, ...json }, client.names);
    const limit = { maxOutputTokens: 5 };
    expect(() => check({ generationConfig: limit, generation_config: { maxOutputTokens: 9_999 } })).toThrow(/twice/);
    expect(() => check({ generationConfig: { ...limit, max_output_tokens: 9_999 } })).toThrow(/twice/);
    expect(() => check({ serviceTier: "standard", service_tier: "priority" })).toThrow(/twice/);
    expect(() => check({ contents: [user({ fileData: {}, file_data: {} })] })).toThrow(/twice/);
    const facts = client.readFacts({ contents, generation_config: limit }, "/v1beta/models/m:generateContent");
    expect(facts.completionTokensMax).toBe(5);
  });

  test("gets an array where it does not ask for events", () => {
    const isArray = (url: string) => client.isArrayStream?.(url);
    expect(isArray("/v1beta/models/m:streamGenerateContent")).toBe(true);
    expect(isArray("/v1beta/models/m:streamGenerateContent?key=x")).toBe(true);
    expect(isArray("/v1beta/models/m:streamGenerateContent?key=x&alt=sse")).toBe(false);
    expect(isArray("/v1beta/models/m:generateContent")).toBe(false);
  });

  test("may show its key in three places", () => {
    const read = (headers: Record<string, string>, url = "/") => client.readKey({ headers, url });
    expect(read({ "x-goog-api-key": "k" })).toBe("k");
    expect(read({ authorization: "Bearer k" })).toBe("k");
    expect(read({}, "/v1beta/models/m:generateContent?alt=sse&key=k%2B")).toBe("k+");
    expect(read({})).toBe("");
  });

  test("may write names with underscores", () => {
    const json = {
      system_instruction: { parts: [{ text: "s" }] },
      contents: [user({ inline_data: { mime_type: "image/png", data: "AA==" } })],
      generation_config: { max_output_tokens: 5, top_k: 3, thinking_config: { thinking_level: "HIGH" } },
      tools: [{ function_declarations: [{ name: "f", parameters: { type: "OBJECT", properties: {} } }] }],
      tool_config: { function_calling_config: { mode: "any", allowed_function_names: ["f"] } },
    };
    expect(client.decode(json, PATH)).toMatchObject({
      messages: [
        { role: "system", content: [{ text: "s" }] },
        { role: "user", content: [{ type: "image", source: { type: "base64", mediaType: "image/png" } }] },
      ],
      maxTokens: 5,
      topK: 3,
      thinking: { type: "effort", effort: "high" },
      toolChoice: { type: "tool", name: "f" },
      tools: [{ name: "f", parameters: { type: "object" } }],
    });
  });

  test("need not give ids: a result belongs to the first open call of its name", () => {
    const result = (output: string) => ({ functionResponse: { name: "f", response: { output } } });
    const messages = decode(user({ text: "a" }), model(call, call), user(result("1"), result("2")));
    expect(messages).toMatchObject([
      { role: "user" },
      { content: [{ id: "call_1_0" }, { id: "call_1_1" }] },
      { role: "tool", toolCallId: "call_1_0", toolName: "f", content: [{ text: "1" }] },
      { role: "tool", toolCallId: "call_1_1", toolName: "f", content: [{ text: "2" }] },
    ]);
    expect(() => decode(user(result("1")))).toThrow(InvalidRequest);
  });

  test("is refused what only Google can do", () => {
    const refused = (more: Json) => () => client.decode({ contents: [user({ text: "a" })], ...more }, PATH);
    expect(refused({ tools: [{ codeExecution: {} }] })).toThrow(/tools/);
    expect(refused({ tools: [{ google_search: {}, urlContext: {} }] })).toThrow(/tools/);
    expect(refused({ cached_content: "cachedContents/x" })).toThrow(/cachedContent/);
    expect(refused({ generationConfig: { responseModalities: ["TEXT", "AUDIO"] } })).toThrow(/responseModalities/);
    expect(refused({ generationConfig: { responseLogprobs: true, logprobs: 99 } })).toThrow(/logprobs/);
    expect(refused({ contents: [user({ executableCode: { code: "1" } })] })).toThrow(/tools of Google/);
    expect(refused({ contents: [user({ video: 1 })] })).toThrow(InvalidRequest);
    expect(refused({ contents: [] })).toThrow(InvalidRequest);
  });

  test("gets errors in Google's shape", () => {
    const error = { message: "no", type: "x", param: null, code: null };
    expect(client.renderError(error, 429, "r1")).toEqual({
      error: { code: 429, message: "no (request id: r1)", status: "RESOURCE_EXHAUSTED" },
    });
    expect(JSON.parse(client.writeCut?.(error, "r1") ?? "")).toMatchObject({
      error: { code: 500, status: "INTERNAL" },
    });
  });
});

describe("what a Google model signed", () => {
  const answer = (...parts: Json[]): Json => ({
    candidates: [{ content: { parts, role: "model" }, finishReason: "STOP", index: 0 }],
    responseId: "r",
  });
  const signedCall = { functionCall: { id: "c1", ...call.functionCall }, thoughtSignature: "CiQB" };
  const cases: [string, Json[]][] = [
    ["a call after a thought", [{ text: "hm", thought: true }, signedCall]],
    ["a call without a thought", [signedCall]],
    ["text", [{ text: "yes", thoughtSignature: "CiQB" }]],
    ["nothing, at the end", [{ text: "yes" }, { text: "", thoughtSignature: "CiQB" }]],
  ];

  test.each(cases)("comes back at its place through a caller of Anthropic's format: %s", (_name, parts) => {
    const response = upstream.decode(answer(...parts));
    if (!response) throw new Error("no answer");
    const { content } = anthropicMessages.client.renderResponse(response, context);
    const messages = [
      { role: "user", content: "a" },
      { role: "assistant", content },
    ];
    const asked = anthropicMessages.client.decode({ model: "m", max_tokens: 5, messages }, "");
    expect(upstream.encode(asked, target("gemini-3-pro"))).toMatchObject({ contents: [{}, { role: "model", parts }] });
    // Anthropic's own models do not get it.
    expect(JSON.stringify(anthropicMessages.upstream.encode(asked, target("claude-sonnet-4")))).not.toContain("CiQB");
  });

  test.each(cases.slice(0, 3))("comes back at its place through a caller of OpenAI's format: %s", (_name, parts) => {
    const response = upstream.decode(answer(...parts));
    if (!response) throw new Error("no answer");
    const [choice] = openaiChat.client.renderResponse(response, context).choices as Json[];
    const messages = [{ role: "user", content: "a" }, choice?.message];
    const asked = openaiChat.client.decode({ model: "m", messages }, "");
    expect(upstream.encode(asked, target("gemini-3-pro"))).toMatchObject({ contents: [{}, { role: "model", parts }] });
  });

  test("of Anthropic's comes back through a caller of Google's format, streamed", () => {
    const renderer = client.streamRenderer(context);
    const events: ChatEvent[] = [
      { type: "start", id: "x", model: "claude" },
      { type: "thinking-delta", choice: 0, text: "hm" },
      { type: "thinking-signature", choice: 0, signature: "EqoB+/==" },
      { type: "redacted-thinking", choice: 0, data: "Emw=" },
      { type: "tool-call-start", choice: 0, index: 0, id: "c1", name: "f" },
      { type: "tool-call-delta", choice: 0, index: 0, arguments: "{}" },
      { type: "finish", choice: 0, reason: { unified: "tool-calls", raw: "tool_use" } },
    ];
    const frames = [...events.flatMap((event) => renderer.step(event)), ...renderer.end(true)];
    const parts = frames.flatMap(({ data }) => JSON.parse(data).candidates[0].content.parts as Json[]);
    for (const { thoughtSignature } of parts) {
      if (thoughtSignature !== undefined) expect(thoughtSignature).toMatch(/^[A-Za-z0-9+/]+=*$/);
    }
    const [, message] = client.decode({ contents: [user({ text: "a" }), model(...parts)] }, PATH).messages;
    expect(message?.content).toEqual([
      { type: "thinking", text: "hm", signature: "EqoB+/==" },
      { type: "redacted-thinking", data: "Emw=" },
      { type: "tool-call", id: "c1", name: "f", arguments: "{}" },
    ]);
  });
});

describe("a stream of Google's", () => {
  const frame = (json: Json): Frame => ({ event: null, data: JSON.stringify(json) });
  const text = (value: string, rest: Json = {}): Frame =>
    frame({ candidates: [{ content: { parts: [{ text: value }] }, ...rest }] });

  function read(frames: readonly Frame[]) {
    const decoder = upstream.streamDecoder();
    return collectEvents([...frames.flatMap((one) => decoder.step(one)), ...decoder.end(true)]);
  }

  test("is whole only when every candidate has finished, and nothing is broken", () => {
    const done = { finishReason: "STOP" };
    expect(read([text("a"), text("b", done)]).hasEnded).toBe(true);
    expect(read([text("a"), text("b")]).hasEnded).toBe(false);
    expect(read([text("a", { index: 1 }), text("b", { index: 0, ...done })]).hasEnded).toBe(false);
    expect(read([text("a", done), { event: null, data: '{"candi' }]).hasEnded).toBe(false);
    expect(read([text("a", { finishReason: "FINISH_REASON_UNSPECIFIED" })]).hasEnded).toBe(false);
    expect(read([]).hasEnded).toBe(false);
  });

  test("with a prompt that was blocked says so", () => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 9 } };
    const { response, hasEnded } = read([frame(blocked)]);
    expect(hasEnded).toBe(true);
    expect(response.choices).toEqual(upstream.decode(blocked)?.choices);
    expect(response.choices[0]?.finishReason.unified).toBe("content-filter");
    expect(upstream.passThrough.hasAnswer(blocked)).toBe(true);
    expect(upstream.passThrough.hasFailed(blocked)).toBe(false);
  });

  test("with pictures and code has them in Markdown", () => {
    const parts = [
      { executableCode: { language: "PYTHON", code: "1+1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
      { inlineData: { mimeType: "image/png", data: "AA==" } },
    ];
    const { response } = read([frame({ candidates: [{ content: { parts }, finishReason: "STOP" }] })]);
    expect(response.choices[0]?.content).toEqual([
      {
        type: "text",
        text: "\n```python\n1+1\n```\n\n```output\n2\n```\n![image](data:image/png;base64,AA==)",
      },
    ]);
  });

  test("counts sound, thoughts and what tools brought in", () => {
    expect(
      upstream.readUsage({
        promptTokenCount: 100,
        toolUsePromptTokenCount: 20,
        cachedContentTokenCount: 50,
        candidatesTokenCount: 30,
        thoughtsTokenCount: 40,
        promptTokensDetails: [{ modality: "AUDIO", tokenCount: 60 }],
        cacheTokensDetails: [{ modality: "AUDIO", tokenCount: 25 }],
        candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: 10 }],
      }),
    ).toEqual({
      cachedAudioTokens: 25,
      promptTokens: 120,
      completionTokens: 70,
      cachedTokens: 50,
      cacheWriteTokens: 0,
      reasoningTokens: 40,
      audioPromptTokens: 35,
      audioCompletionTokens: 10,
    });
    expect(upstream.readUsage({ totalTokenCount: 5 })).toBeNull();
  });

  test("that broke off can be continued while it has only text and thoughts", () => {
    const thought = frame({ candidates: [{ content: { parts: [{ text: "hm", thought: true }] } }], responseId: "r9" });
    expect(client.resumeStream([thought, text("a"), text("b")], context)).toMatchObject({ text: "ab", thoughts: "hm" });
    const signed = frame({ candidates: [{ content: { parts: [{ text: "", thoughtSignature: "x" }] } }] });
    for (const last of [
      signed,
      text("c", { finishReason: "STOP" }),
      frame({ candidates: [{ content: { parts: [call] } }] }),
    ]) {
      expect(client.resumeStream([text("a"), last], context)).toBeNull();
    }
  });
});
