import { describe, expect, test } from "vitest";
import type { Json } from "../../canonical/json";
import type { ChatRequest, Message, Thinking } from "../../canonical/request";
import type { UpstreamTarget } from "../dialect";
import { geminiGenerateContent } from ".";

const { upstream } = geminiGenerateContent;
const target = (model: string): UpstreamTarget => ({
  model,
  canReportStreamUsage: true,
  systemPrompt: { text: "", isForced: false },
});
const question: Message = { role: "user", content: [{ type: "text", text: "a" }] };
const encode = (request: Partial<ChatRequest>, model = "gemini-2.5-flash"): Json =>
  upstream.encode({ model: "m", messages: [question], isStream: false, ...request }, target(model));

describe("thinking for a Google model", () => {
  const config = (thinking: Thinking, model: string, maxTokens?: number) => {
    const request = maxTokens === undefined ? { thinking } : { thinking, maxTokens };
    return (encode(request, model).generationConfig as Json | undefined)?.thinkingConfig;
  };
  const effort = (word: "minimal" | "medium" | "xhigh"): Thinking => ({ type: "effort", effort: word });

  test.each<[string, Thinking, unknown]>([
    ["gemini-2.5-flash", effort("medium"), { thinkingBudget: 2_048, includeThoughts: true }],
    ["gemini-2.5-flash", { type: "off" }, { thinkingBudget: 0 }],
    ["gemini-2.5-pro", { type: "off" }, { thinkingBudget: 128 }],
    ["gemini-2.5-pro", { type: "budget", tokens: 99_999 }, { thinkingBudget: 32_768, includeThoughts: true }],
    ["gemini-2.5-flash-lite", { type: "budget", tokens: 9 }, { thinkingBudget: 512, includeThoughts: true }],
    ["gemini-3-pro-preview", effort("medium"), { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-3-pro-preview", { type: "off" }, { thinkingLevel: "low" }],
    ["gemini-3-flash-preview", effort("minimal"), { thinkingLevel: "minimal", includeThoughts: true }],
    ["gemini-3.8-flash", effort("minimal"), { thinkingLevel: "low", includeThoughts: true }],
    ["gemini-3.1-pro", effort("xhigh"), { thinkingLevel: "high", includeThoughts: true }],
    ["gemini-2.0-flash", effort("medium"), undefined],
  ])("%s: %j", (model, thinking, expected) => {
    expect(config(thinking, model)).toEqual(expected);
  });

  test("leaves something of the caller's limit for the answer", () => {
    expect(config(effort("xhigh"), "gemini-2.5-flash", 1_000)).toMatchObject({ thinkingBudget: 800 });
    expect(config({ type: "budget", tokens: 5_000 }, "gemini-2.5-flash", 1_000)).toMatchObject({ thinkingBudget: 999 });
  });
});

test("JSON beside tools is asked for in words before Gemini 3, because those models refuse both together", () => {
  const schema = { type: "object", properties: { a: { type: "string" } } };
  const request: Partial<ChatRequest> = {
    tools: [{ name: "f" }],
    responseFormat: { type: "json-schema", name: "r", schema },
  };
  const old = encode(request, "gemini-2.5-flash");
  expect(old.generationConfig).toBeUndefined();
  expect(JSON.stringify(old.systemInstruction)).toContain(JSON.stringify(JSON.stringify(schema)).slice(1, -1));
  const json = encode({ ...request, responseFormat: { type: "json" } }, "gemini-2.5-flash");
  expect(json).toMatchObject({ systemInstruction: { parts: [{ text: expect.stringContaining("JSON") as unknown }] } });
  const format = { responseMimeType: "application/json", responseJsonSchema: schema };
  expect(encode(request, "gemini-3-pro-preview")).toMatchObject({ generationConfig: format });
  expect(encode({ ...request, tools: [] }, "gemini-2.5-flash")).toMatchObject({ generationConfig: format });
});

describe("a conversation for a Google model", () => {
  const call = (id: string) => ({ type: "tool-call" as const, id, name: "f", arguments: "{}" });
  const picture = { type: "image" as const, source: { type: "base64" as const, mediaType: "image/png", data: "AA==" } };
  const result = (toolCallId: string, content: Message["content"]): Message =>
    ({ role: "tool", toolCallId, toolName: "f", content }) as Message;
  const turns = (messages: Message[], model?: string) =>
    (encode({ messages }, model).contents as Json[]).map(({ parts }) => parts as Json[]);

  test("has the word for calls of other models only from Gemini 3 on, and only at the first of a step", () => {
    const messages: Message[] = [question, { role: "assistant", content: [call("a"), call("b")] }];
    const signatures = (model: string) => turns(messages, model)[1]?.map(({ thoughtSignature }) => thoughtSignature);
    expect(signatures("gemini-3-pro")).toEqual(["skip_thought_signature_validator", undefined]);
    expect(signatures("gemini-2.5-pro")).toEqual([undefined, undefined]);
  });

  test("has pictures of a result within it from Gemini 3 on, else behind all results", () => {
    const messages: Message[] = [
      question,
      { role: "assistant", content: [call("a"), call("b")] },
      result("a", [{ type: "text", text: "see" }, picture]),
      result("b", [{ type: "text", text: '{"x":1}' }]),
    ];
    const inlineData = { mimeType: "image/png", data: "AA==" };
    expect(turns(messages, "gemini-3-pro")[2]).toEqual([
      { functionResponse: { id: "a", name: "f", response: { output: "see" }, parts: [{ inlineData }] } },
      { functionResponse: { id: "b", name: "f", response: { x: 1 } } },
    ]);
    expect(turns(messages, "gemini-2.5-pro")[2]).toEqual([
      { functionResponse: { id: "a", name: "f", response: { output: "see" } } },
      { functionResponse: { id: "b", name: "f", response: { x: 1 } } },
      { text: "Attached to the result of a:" },
      { inlineData },
    ]);
  });

  test("begins with the user and has no empty contents", () => {
    expect(turns([{ role: "assistant", content: [] }])).toEqual([[{ text: "..." }], [{ text: "..." }]]);
  });

  test("has schemas in the older form for older models", () => {
    const parameters = {
      type: "object",
      properties: { n: { type: ["integer", "null"], default: 1, format: "int32" }, k: { const: "x", type: "string" } },
      additionalProperties: false,
    };
    const tool = (model: string) => {
      const [tools] = encode({ tools: [{ name: "f", parameters }] }, model).tools as unknown[];
      return (tools as { functionDeclarations: Json[] }).functionDeclarations[0];
    };
    expect(tool("gemini-2.5-flash")).toEqual({ name: "f", parametersJsonSchema: parameters });
    expect(tool("gemini-2.0-flash")).toEqual({
      name: "f",
      parameters: {
        type: "object",
        properties: {
          n: { type: "integer", nullable: true, format: "int32" },
          k: { type: "string", enum: ["x"] },
        },
      },
    });
  });

  test("refuses what it cannot say", () => {
    expect(() => encode({ choices: 9 })).toThrow(/choices/);
    const foreign: Message = { role: "user", content: [{ type: "file", source: { type: "id", id: "file-1" } }] };
    expect(() => encode({ messages: [foreign] })).toThrow(/upload/);
  });
});
