import { generateKeyPairSync } from "node:crypto";
import { describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Json } from "../wire/canonical/json";
import { geminiModel, geminiThinking } from "./fixes/gemini-fixes";
import { rows } from "./rows/index";
import { ChannelSetupError } from "./setup-error";
import { vertexDialect, vertexFix, vertexUrl } from "./vertex";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const account = JSON.stringify({
  type: "service_account",
  project_id: "my-project",
  client_email: "relay@my-project.iam.gserviceaccount.com",
  private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
});
const options = defaultOptions();
const parts = { baseUrl: "", path: "/", query: "", other: "", isStream: false, options };
const urlOf = (model: string, other = "", isStream = false, key = account) =>
  vertexUrl({ ...parts, model, other, isStream }, key);
const IN = "/v1/projects/my-project/locations";

describe("Vertex AI", () => {
  test.each([
    [
      "gemini-2.5-pro",
      "us-central1",
      false,
      `https://us-central1-aiplatform.googleapis.com${IN}/us-central1/publishers/google/models/gemini-2.5-pro:generateContent`,
    ],
    [
      "gemini-3-pro-thinking",
      "",
      true,
      `https://aiplatform.googleapis.com${IN}/global/publishers/google/models/gemini-3-pro:streamGenerateContent?alt=sse`,
    ],
    [
      "claude-sonnet-4-5-20250929",
      "eu",
      true,
      `https://aiplatform.eu.rep.googleapis.com${IN}/eu/publishers/anthropic/models/claude-sonnet-4-5%4020250929:streamRawPredict`,
    ],
    [
      "claude-3-5-sonnet-20241022",
      "us-east5",
      false,
      `https://us-east5-aiplatform.googleapis.com${IN}/us-east5/publishers/anthropic/models/claude-3-5-sonnet-v2%4020241022:rawPredict`,
    ],
    [
      "claude-opus-4-6-thinking",
      "global",
      false,
      `https://aiplatform.googleapis.com${IN}/global/publishers/anthropic/models/claude-opus-4-6:rawPredict`,
    ],
    [
      "meta/llama-4-maverick-17b-128e-instruct-maas",
      "us-east5",
      true,
      `https://us-east5-aiplatform.googleapis.com${IN}/us-east5/endpoints/openapi/chat/completions`,
    ],
  ] as const)("%s in %j (stream: %s)", (model, region, isStream, url) => {
    expect(urlOf(model, region, isStream)).toBe(url);
  });

  test("regions by model, with a default", () => {
    const other = '{"default":"us-central1","claude-opus-4-6":"global"}';
    expect(urlOf("gemini-2.5-pro", other)).toContain("/locations/us-central1/");
    expect(urlOf("claude-opus-4-6-thinking", other)).toContain("/locations/global/");
  });

  test.each(["a.example/x", "us@evil.example", "{broken", '{"default":1}'])("%j is no region", (other) => {
    expect(() => urlOf("gemini-2.5-pro", other)).toThrow(ChannelSetupError);
  });

  test("an API key has no project, and reaches Gemini only", () => {
    const url = "https://aiplatform.googleapis.com/v1/publishers/google/models/gemini-2.5-pro:generateContent";
    expect(urlOf("gemini-2.5-pro", "", false, "AQ.key")).toBe(url);
    expect(() => urlOf("claude-opus-4-6", "", false, "AQ.key")).toThrow("service account");
  });

  test("the model decides on the wire format and on the body", () => {
    expect(["claude-x", "gemini-x", "meta/llama"].map(vertexDialect)).toEqual([
      "anthropic-messages",
      "gemini-generate-content",
      "openai-chat",
    ]);
    expect(vertexFix({ model: "claude-opus-4-1", max_tokens: 5 }, "claude-opus-4-1", options)).toEqual({
      model: undefined,
      anthropic_version: "vertex-2023-10-16",
    });
    expect(vertexFix({ model: "meta/llama" }, "meta/llama", options)).toEqual({});
  });
});

describe("names that end in -thinking", () => {
  const fix = rows.get(CHANNEL_TYPE.anthropic)?.quirks.fix;
  const plain = { temperature: undefined, top_p: undefined, top_k: undefined };

  test.each([
    [
      "claude-sonnet-4-thinking",
      { max_tokens: 10_000 },
      { max_tokens: 10_000, thinking: { type: "enabled", budget_tokens: 8_000 } },
    ],
    [
      "claude-sonnet-4-thinking",
      { max_tokens: 10 },
      { max_tokens: 1_280, thinking: { type: "enabled", budget_tokens: 1_024 } },
    ],
    ["claude-opus-4-6-thinking", { max_tokens: 10 }, { thinking: { type: "adaptive" } }],
  ])("%s with %o asks Claude to think (contract §6.3)", (model, json, edits) => {
    expect(fix?.({ model, ...json }, model, options)).toEqual({
      model: model.replace("-thinking", ""),
      ...plain,
      ...edits,
    });
  });

  test("what the caller asks for itself, and a forced tool, go before the name", () => {
    const model = "claude-sonnet-4-thinking";
    const name = { model: "claude-sonnet-4" };
    expect(fix?.({ model, thinking: { type: "disabled" } }, model, options)).toEqual(name);
    expect(fix?.({ model, tool_choice: { type: "any" } }, model, options)).toEqual(name);
    expect(fix?.({ model: "claude-sonnet-4" }, "claude-sonnet-4", options)).toEqual({});
  });

  test.each([
    ["gemini-2.5-flash-thinking", { thinkingBudget: -1, includeThoughts: true }],
    ["gemini-2.5-flash-thinking-2000", { thinkingBudget: 2_000, includeThoughts: true }],
    ["gemini-2.5-pro-thinking-99999", { thinkingBudget: 32_768, includeThoughts: true }],
    ["gemini-2.5-flash-nothinking", { thinkingBudget: 0 }],
    ["gemini-3-flash-thinking", { includeThoughts: true }],
    ["gemini-3-flash-nothinking", { thinkingLevel: "minimal" }],
  ])("%s is a setting for Gemini", (model, thinkingConfig) => {
    const given: Json = { generation_config: { temperature: 1 } };
    expect(geminiThinking("vertex")(given, model, options)).toEqual({
      generation_config: { temperature: 1, thinkingConfig },
    });
    expect(geminiModel(model, options)).toBe(model.replace(/-(no)?thinking.*/, ""));
  });

  test.each(["gemini-2.0-flash-thinking-exp-1219", "gemini-2.5-pro", "gemma-3-thinking"])(
    "%s is Google's own name",
    (model) => {
      expect(geminiModel(model, options)).toBe(model);
      expect(geminiThinking("vertex")({}, model, options)).toEqual({});
    },
  );
});

describe("calls of Gemini on Vertex AI, which refuses their ids", () => {
  const call = (id: string): Json => ({ functionCall: { id, name: "f", args: {} }, thoughtSignature: "s" });
  const result = (id: string): Json => ({ functionResponse: { id, name: "f", response: { output: id } } });
  const bareCall = { functionCall: { name: "f", args: {} }, thoughtSignature: "s" };
  const bareResult = (id: string): Json => ({ functionResponse: { name: "f", response: { output: id } } });

  test("have none, and their results come in the order of the calls", () => {
    const contents = [
      { role: "user", parts: [{ text: "hi" }] },
      { role: "model", parts: [call("a"), call("b")] },
      { role: "user", parts: [result("b"), result("a"), { text: "and?" }] },
    ];
    expect(vertexFix({ contents }, "gemini-2.5-flash", options)).toEqual({
      contents: [
        contents[0],
        { role: "model", parts: [bareCall, bareCall] },
        { role: "user", parts: [bareResult("a"), bareResult("b"), { text: "and?" }] },
      ],
    });
  });

  test("are found in the other spelling too", () => {
    const contents = [{ role: "model", parts: [{ function_call: { id: "a", name: "f" } }] }];
    const bare = [{ role: "model", parts: [{ function_call: { name: "f" } }] }];
    expect(vertexFix({ contents }, "gemini-2.5-flash", options)).toEqual({ contents: bare });
  });

  test("leave a request without ids as it is", () => {
    const contents = [{ role: "model", parts: [bareCall] }];
    expect(vertexFix({ contents }, "gemini-2.5-flash", options)).toEqual({});
  });
});
