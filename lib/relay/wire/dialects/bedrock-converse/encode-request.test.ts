import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { readChunksFixture } from "../../../../testing/dialect-fixtures";
import { converseRequest } from "../../../../testing/upstream-schemas/bedrock-converse";
import { type Json, readArray, readObject } from "../../canonical/json";
import type { ChatRequest, UserPart } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { bedrockConverse } from ".";
import { toCanonicalSignature } from "./signature";

const NOVA = "us.amazon.nova-2-lite-v1:0";
const systemPrompt = { text: "", isForced: false };

/** The encoded request, after the strict schema. */
function encode(request: Partial<ChatRequest>, model = NOVA): Json {
  const messages: ChatRequest["messages"] = [{ role: "user", content: [{ type: "text", text: "Hello" }] }];
  const target = { model, canReportStreamUsage: true, systemPrompt };
  const body = bedrockConverse.upstream.encode({ model, messages, isStream: false, ...request }, target);
  const { error } = converseRequest.safeParse(body);
  if (error) throw error;
  return body;
}

const said = (...content: UserPart[]): Pick<ChatRequest, "messages"> => ({ messages: [{ role: "user", content }] });
const contentOf = (body: Json, at = 0): readonly unknown[] =>
  readArray(readObject(readArray(body.messages)[at]).content);
const base64 = (mediaType: string, data = "AAAA") => ({ type: "base64" as const, mediaType, data });

describe("what Converse gets", () => {
  test("pictures, sounds, films and documents as bytes, with names of their own (A102)", () => {
    const body = encode(
      said(
        { type: "image", source: base64("image/jpg") },
        { type: "audio", format: "mp3", data: "AAAA" },
        { type: "file", source: base64("video/quicktime") },
        { type: "file", name: "Größe  (1).pdf", source: base64("application/pdf") },
        { type: "file", name: "Größe  (1).pdf", source: base64("application/pdf") },
        { type: "file", source: { type: "text", text: "a,b" }, name: "a.csv" },
      ),
    );
    const source = { bytes: "AAAA" };
    expect(contentOf(body)).toEqual([
      { image: { format: "jpeg", source } },
      { audio: { format: "mp3", source } },
      { video: { format: "mov", source } },
      { document: { name: "Gr e (1)", format: "pdf", source } },
      { document: { name: "Gr e (1) 2", format: "pdf", source } },
      { text: '<document title="a.csv">\na,b\n</document>' },
    ]);
  });

  test("a text beside a document that comes alone", () => {
    const content = contentOf(encode(said({ type: "file", source: base64("application/pdf") })));
    expect(content.at(-1)).toEqual({ text: "..." });
  });

  test.each([
    ["a picture by its address", { type: "image", source: { type: "url", url: "https://a.example/a.png" } }],
    ["an upload", { type: "file", source: { type: "id", id: "file-1" } }],
    ["a picture that Bedrock cannot read", { type: "image", source: base64("image/tiff") }],
    ["a sound that it cannot hear", { type: "audio", format: "midi", data: "AAAA" }],
  ] as [string, UserPart][])("%s is refused", (_name, part) => {
    expect(() => encode(said(part))).toThrow(InvalidRequest);
  });

  test("results of tools with pictures and failures, before what the user says", () => {
    const body = encode({
      messages: [
        { role: "user", content: [{ type: "text", text: "Look" }] },
        { role: "assistant", content: [{ type: "tool-call", id: "a:1", name: "look", arguments: "not JSON" }] },
        { role: "user", content: [{ type: "text", text: "And?" }] },
        { role: "tool", toolCallId: "a:1", isError: true, content: [{ type: "image", source: base64("image/png") }] },
      ],
    });
    const toolUse = { toolUseId: "a_1", name: "look", input: { arguments: "not JSON" } };
    expect(contentOf(body, 1)).toEqual([{ toolUse }]);
    const image = { format: "png", source: { bytes: "AAAA" } };
    const toolResult = { toolUseId: "a_1", content: [{ image }], status: "error" };
    expect(contentOf(body, 2)).toEqual([{ toolResult }, { text: "And?" }]);
  });

  test("cache points where the model knows them", () => {
    const cache = { type: "ephemeral" };
    const request = said({ type: "text", text: "Long", cache });
    expect(contentOf(encode(request))).toEqual([{ text: "Long" }, { cachePoint: { type: "default" } }]);
    expect(contentOf(encode(request, "meta.llama4-scout-17b-instruct-v1:0"))).toEqual([{ text: "Long" }]);
  });

  test("what it signed, and nothing that another upstream did (A093)", () => {
    const { response } = collectEvents(
      readChunksFixture("bedrock-converse", "thinking-signature").flatMap((frame) => decoder.step(frame)),
    );
    const own = response.choices[0]?.content ?? [];
    const messages: ChatRequest["messages"] = [
      { role: "user", content: [{ type: "text", text: "17 × 23?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", text: "of Anthropic", signature: "EqoB" },
          { type: "redacted-thinking", data: toCanonicalSignature("AAAA") },
          ...own,
        ],
      },
      { role: "user", content: [{ type: "text", text: "And?" }] },
    ];
    expect(contentOf(encode({ messages }), 1)).toEqual([
      { reasoningContent: { redactedContent: "AAAA" } },
      { reasoningContent: { reasoningText: { text: expect.any(String), signature: expect.stringMatching(/^EqoB/) } } },
      { text: "17 × 23 = 391." },
    ]);
  });
});

const decoder = bedrockConverse.upstream.streamDecoder();

describe("tools", () => {
  const tools = [{ name: "look" }];
  const called: ChatRequest["messages"] = [
    { role: "user", content: [{ type: "text", text: "Look" }] },
    { role: "assistant", content: [{ type: "tool-call", id: "1", name: "look", arguments: "{}" }] },
    { role: "tool", toolCallId: "1", content: [] },
  ];

  test("can be left to the model, demanded, named and forbidden", () => {
    const choiceOf = (toolChoice: ChatRequest["toolChoice"]) =>
      encode({ tools, ...(toolChoice ? { toolChoice } : {}) }).toolConfig;
    expect(choiceOf(undefined)).not.toHaveProperty("toolChoice");
    expect(choiceOf({ type: "auto" })).toMatchObject({ toolChoice: { auto: {} } });
    expect(choiceOf({ type: "required" })).toMatchObject({ toolChoice: { any: {} } });
    expect(choiceOf({ type: "tool", name: "look" })).toMatchObject({ toolChoice: { tool: { name: "look" } } });
    expect(choiceOf({ type: "none" })).toBeUndefined();
  });

  test("that must not be called are forbidden in words where history has calls", () => {
    for (const more of [{ tools, toolChoice: { type: "none" } as const }, {}]) {
      const body = encode({ messages: called, ...more });
      expect(body.toolConfig).toMatchObject({ tools: [{ toolSpec: { name: "look" } }] });
      expect(body.system).toEqual([{ text: "Do not use any tool." }]);
    }
  });

  test("with names that Bedrock refuses are refused with a reason", () => {
    expect(() => encode({ tools: [{ name: "a.b" }] })).toThrow("names of tools");
  });
});

describe("the model's own fields", () => {
  test.each([
    [NOVA, { type: "effort", effort: "xhigh" }, { reasoningConfig: { type: "enabled", maxReasoningEffort: "medium" } }],
    [NOVA, { type: "budget", tokens: 1_300 }, { reasoningConfig: { type: "enabled", maxReasoningEffort: "low" } }],
    [NOVA, { type: "off" }, { reasoningConfig: { type: "disabled" } }],
    ["openai.gpt-oss-120b-1:0", { type: "effort", effort: "xhigh" }, { reasoning_effort: "high" }],
    ["us.deepseek.r1-v1:0", { type: "effort", effort: "high" }, undefined],
  ] as const)("%s thinks by %o", (model, thinking, fields) => {
    expect(encode({ thinking }, model).additionalModelRequestFields).toEqual(fields);
  });

  test("a schema is a field for models with structured outputs, a sentence for others", () => {
    const schema = { type: "object", properties: {} };
    const responseFormat = { type: "json-schema" as const, name: "answer", schema };
    const closed = { ...schema, additionalProperties: false };
    const jsonSchema = { name: "answer", schema: JSON.stringify(closed) };
    expect(encode({ responseFormat }, "openai.gpt-oss-120b-1:0").outputConfig).toEqual({
      textFormat: { type: "json_schema", structure: { jsonSchema } },
    });
    const body = encode({ responseFormat });
    expect(body.outputConfig).toBeUndefined();
    expect(JSON.stringify(body.system)).toContain("must fit this JSON schema");
  });

  test("limits are within what is taken, and a cap keeps the other settings", () => {
    const body = encode({ temperature: 1.7, topP: 0.9, topK: 40, maxTokens: 50, stop: ["END"] });
    expect(body.inferenceConfig).toEqual({ temperature: 1, topP: 0.9, maxTokens: 50, stopSequences: ["END"] });
    expect(body.additionalModelRequestFields).toEqual({ inferenceConfig: { topK: 40 } });
    expect(bedrockConverse.upstream.readCompletionMax(body)).toBe(50);
    expect(bedrockConverse.upstream.capEdits(body, 7, {})).toEqual({
      inferenceConfig: { temperature: 1, topP: 0.9, maxTokens: 7, stopSequences: ["END"] },
    });
  });
});
