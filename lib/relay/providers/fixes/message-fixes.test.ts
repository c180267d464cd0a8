import { describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { readUpstreamError, reportedStatus } from "../../base/upstream-error";
import type { Json } from "../../wire/canonical/json";
import { hasFailed } from "../../wire/dialects/openai-chat/error";
import { rows } from "../rows";
import { cohereSafety } from "./request-fixes";

const options = defaultOptions();

/** The request as the row's upstream gets it. */
function sent(type: number, json: Json, model = "m"): Json {
  const edits = rows.get(type)?.quirks.fix?.(json, model, options) ?? {};
  return JSON.parse(JSON.stringify({ ...json, ...edits })) as Json;
}

const call = { id: "call_DdmO9pD3xa9XTPNJ32zg2hcA", type: "function", function: { name: "f", arguments: "{}" } };
const asked = { role: "user", content: "hi" };

test.each([CHANNEL_TYPE.minimax, CHANNEL_TYPE.deepseek, CHANNEL_TYPE.moonshot, CHANNEL_TYPE.volcengine])(
  "nothing of a usual request changes for type %s, so that its bytes pass through",
  (type) => {
    expect(rows.get(type)?.quirks.fix?.({ messages: [asked], temperature: 0.5 }, "m", options) ?? {}).toEqual({});
  },
);

describe("calls of another upstream in history", () => {
  const messages = [asked, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", content: "1" }];

  test.each([
    [CHANNEL_TYPE.deepseek, "deepseek-v4-pro"],
    [CHANNEL_TYPE.moonshot, "kimi-k2.6"],
  ])("have thoughts for type %s, which refuses them without", (type, model) => {
    expect((sent(type, { messages }, model).messages as Json[])[1]?.reasoning_content).toBe(" ");
    const own = [asked, { role: "assistant", content: null, tool_calls: [call], reasoning_content: "hm" }];
    expect(sent(type, { messages: own }, model).messages).toEqual(own);
    expect(sent(type, { messages, thinking: { type: "disabled" } }, model).messages).toEqual(messages);
  });

  test("are left as they are for models that do not think", () => {
    expect(sent(CHANNEL_TYPE.moonshot, { messages }, "moonshot-v1-8k").messages).toEqual(messages);
    expect(sent(CHANNEL_TYPE.deepseek, { messages }, "deepseek-chat").messages).toEqual(messages);
  });

  test("are answered by the model for Mistral, which refuses the user right after a result", () => {
    const results = { role: "tool", tool_call_id: "abcdefghi", content: "1" };
    const given = [asked, { role: "assistant", content: "", tool_calls: [{ ...call, id: "abcdefghi" }] }, results];
    expect(sent(CHANNEL_TYPE.mistral, { messages: given }).messages).toEqual(given);
    const between = { role: "assistant", content: "..." };
    const said = sent(CHANNEL_TYPE.mistral, { messages: [...given, asked] }).messages;
    expect(said).toEqual([...given, between, asked]);
  });

  test("get ids for Mistral that it takes, the same for a call and its result", () => {
    const given = [
      { role: "assistant", content: "", reasoning_content: "hm", tool_calls: [call] },
      { role: "tool", tool_call_id: call.id, content: "1", name: "f" },
      { role: "assistant", content: "", tool_calls: [{ ...call, id: "D681PevKs" }] },
    ];
    const [first, result, last] = sent(CHANNEL_TYPE.mistral, { messages: given }).messages as Json[];
    const [mapped] = (first?.tool_calls ?? []) as { id: string }[];
    expect(mapped?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(result).toEqual({ role: "tool", tool_call_id: mapped?.id, content: "1" });
    expect(first).not.toHaveProperty("reasoning_content");
    expect(last?.tool_calls).toEqual([{ ...call, id: "D681PevKs" }]);
  });
});

test("Kimi's newer models get no sampling that they would refuse", () => {
  const json = { messages: [asked], temperature: 0.2, top_p: 0.5, max_tokens: 5 };
  expect(sent(CHANNEL_TYPE.moonshot, json, "kimi-k2.6")).toEqual({ messages: [asked], max_tokens: 5 });
  expect(sent(CHANNEL_TYPE.moonshot, json, "moonshot-v1-8k")).toEqual(json);
});

test.each([
  [CHANNEL_TYPE.xai, "grok-4-0709", "low", undefined],
  [CHANNEL_TYPE.xai, "grok-4-1-fast-reasoning", "low", undefined],
  [CHANNEL_TYPE.xai, "grok-4.3", "medium", "medium"],
  [CHANNEL_TYPE.xai, "grok-4.3", "xhigh", "high"],
  [CHANNEL_TYPE.xai, "grok-3-mini", "medium", "low"],
  [CHANNEL_TYPE.mistral, "mistral-small-latest", "low", "high"],
  [CHANNEL_TYPE.mistral, "mistral-small-2603", "minimal", "none"],
  [CHANNEL_TYPE.mistral, "magistral-medium-latest", "low", undefined],
])("type %s, %s: the effort %s becomes %s", (type, model, effort, becomes) => {
  expect(sent(type, { messages: [asked], reasoning_effort: effort }, model).reasoning_effort).toBe(becomes);
});

test("Grok's models that think get no penalties, which they refuse", () => {
  const json = { messages: [asked], presence_penalty: 1 };
  expect(sent(CHANNEL_TYPE.xai, json, "grok-4-0709")).toEqual({ messages: [asked] });
  expect(sent(CHANNEL_TYPE.xai, json, "grok-4.20-non-reasoning")).toEqual(json);
});

test("Cohere gets the operator's safety mode, but not beside tools or in place of another", () => {
  const fix = cohereSafety(() => "STRICT");
  expect(fix({}, "m", options)).toEqual({ safety_mode: "STRICT" });
  expect(fix({ tools: [] }, "m", options)).toEqual({});
  expect(fix({ safety_mode: "OFF" }, "m", options)).toEqual({});
  expect(cohereSafety(() => "NONE")({}, "m", options)).toEqual({});
});

describe("failures with the status 200", () => {
  const told = (json: object) => {
    const body = Buffer.from(JSON.stringify(json));
    return [reportedStatus(body), readUpstreamError(200, body).read((text) => text).message];
  };

  test.each([
    [1_002, 429],
    [1_004, 401],
    [1_008, 402],
    [1_027, 400],
    [1_000, 502],
  ])("MiniMax's code %i is a failure of status %i", (code, status) => {
    const json = { choices: null, base_resp: { status_code: code, status_msg: "not so" } };
    expect(hasFailed(json, null)).toBe(true);
    expect(told(json)).toEqual([status, "not so"]);
  });

  test("MiniMax's code 0 is none", () => {
    const choices = [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }];
    expect(hasFailed({ choices, base_resp: { status_code: 0, status_msg: "" } }, null)).toBe(false);
  });

  test.each([
    ["DeepSeek's want of resources", "insufficient_system_resource"],
    ["a break within Zhipu's service", "network_error"],
  ])("%s is one", (_name, reason) => {
    const choices = [{ index: 0, delta: {}, finish_reason: reason }];
    expect(hasFailed({ choices }, null)).toBe(true);
  });

  test.each([
    [3_036, 429],
    [3_040, 429],
    [5_007, 400],
    [3_043, 502],
  ])("the code %i of Workers AI is a failure of status %i", (code, status) => {
    const json = { result: null, success: false, errors: [{ code, message: "AiError: no" }], messages: [] };
    expect(told(json)).toEqual([status, "AiError: no"]);
  });

  test("an error at the end of a stream of Cohere's is told", () => {
    expect(told({ type: "message-end", delta: { finish_reason: "ERROR", error: "broken" } })).toEqual([502, "broken"]);
  });
});
