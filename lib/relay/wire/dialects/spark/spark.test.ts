import { describe, expect, test } from "vitest";
import { collectEvents } from "../../../../testing/collect-events";
import { readChunksFixture, readJsonFixture } from "../../../../testing/dialect-fixtures";
import { sparkRequest } from "../../../../testing/upstream-schemas/spark";
import type { ChatRequest } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import type { UpstreamTarget } from "../dialect";
import { openaiChat } from "../openai-chat";
import { spark } from ".";
import { versionOf } from "./versions";

const target = (model: string, other = ""): UpstreamTarget => ({
  ...{ model, other, canReportStreamUsage: false },
  systemPrompt: { text: "", isForced: false },
});
const fixture = (name: string): ChatRequest => {
  const { stop: _, ...asked } = openaiChat.client.decode(readJsonFixture("openai-chat", `${name}.request`), "");
  return asked;
};

type Sent = {
  parameter: { chat: Record<string, unknown> };
  payload: { message: { text: { role: string; content: string }[] }; functions?: { text: { name: string }[] } };
};
function encode(request: ChatRequest, model: string, other = ""): Sent {
  const json = spark.upstream.encode(request, target(model, other));
  expect(sparkRequest.safeParse(json).error).toBeUndefined();
  return json as Sent;
}
const roles = ({ payload }: Sent): string[] => payload.message.text.map(({ role }) => role);
const ask = (more: Partial<ChatRequest> = {}): ChatRequest => ({
  ...{ model: "m", isStream: false },
  messages: [{ role: "user", content: [{ type: "text", text: "Hello" }] }],
  ...more,
});

describe("the version", () => {
  test.each([
    ["SparkDesk-v3.5", "v1.1", "/v3.5/chat", "generalv3.5"],
    ["SparkDesk", "v2.1", "/v2.1/chat", "generalv2"],
    ["SparkDesk", "", "/v1.1/chat", "lite"],
    ["SparkDesk", "4.0Ultra", "/v4.0/chat", "4.0Ultra"],
    ["4.0Ultra", "v1.1", "/v4.0/chat", "4.0Ultra"],
    ["generalv3", "", "/v3.1/chat", "generalv3"],
    ["spark-lite", "v3.5", "/v1.1/chat", "lite"],
    ["max-32k", "", "/chat/max-32k", "max-32k"],
    ["pro-128k", "", "/chat/pro-128k", "pro-128k"],
    ["x1", "", "/v1/x1", "spark-x"],
    ["spark-x", "", "/x2", "spark-x"],
    ["SparkDesk-v9.1", "", "/v9.1/chat", "generalv9.1"],
    ["other", "a/b", "/a%2Fb/chat", "a/b"],
  ])("of %s with the extra field %j is asked at %s", (model, other, path, domain) => {
    expect(versionOf(model, other)).toMatchObject({ path, domain });
  });
});

describe("requests", () => {
  test.each(["text", "tool-results", "thinking"])("%s is what iFlytek accepts in every version that can", (name) => {
    for (const model of ["v3.1", "v3.5", "4.0Ultra", "max-32k", "pro-128k"]) encode(fixture(name), model);
    for (const model of ["lite", "v2.1", "x1", "x2"]) encode({ ...fixture(name), tools: [] }, model);
  });

  test("a system message is one from v3.5 on, before it is told to the user's model", () => {
    expect(roles(encode(fixture("text"), "v3.5"))).toEqual(["system", "user"]);
    expect(roles(encode(fixture("text"), "v3.1"))).toEqual(["user", "assistant", "user"]);
  });

  test("calls and their results are text, and the tools functions", () => {
    const sent = encode(fixture("tool-results"), "4.0Ultra");
    expect(roles(sent)).toEqual(["user", "assistant", "user"]);
    const [, called, results] = sent.payload.message.text.map(({ content }) => content);
    expect(called).toBe(
      'Let me look.\nCalled get_weather with {"city":"Bern","unit":"c"}\nCalled get_time with {"zone":"Europe/Zurich"}',
    );
    expect(results).toBe('Result of get_weather: {"degrees":21}\n\nResult of get_time: 14:05\n\nAnd tomorrow?');
    expect(sent.payload.functions?.text.map(({ name }) => name)).toContain("get_weather");
  });

  test("a tool can be forced by its name, and forbidden", () => {
    const tools = [{ name: "f" }, { name: "g" }];
    const choice = (toolChoice: ChatRequest["toolChoice"], given = tools) =>
      encode(ask({ tools: given, ...(toolChoice ? { toolChoice } : {}) }), "v3.5");
    expect(choice({ type: "tool", name: "g" }).parameter.chat.function_choice).toBe("g");
    expect(choice({ type: "required" }, [{ name: "f" }]).parameter.chat.function_choice).toBe("f");
    expect(choice({ type: "auto" }).parameter.chat.function_choice).toBeUndefined();
    expect(choice({ type: "none" }).payload.functions).toBeUndefined();
    expect(() => choice({ type: "required" })).toThrow(InvalidRequest);
  });

  test.each(["lite", "v2.1", "x1", "x2"])("%s cannot call tools, and says so", (model) => {
    expect(() => spark.upstream.encode(ask({ tools: [{ name: "f" }] }), target(model))).toThrow("cannot call tools");
  });

  test("only models that think are told how", () => {
    const thinking = { type: "effort", effort: "high" } as const;
    expect(encode(ask({ thinking }), "x2").parameter.chat.thinking).toEqual({ type: "enabled" });
    expect(encode(ask({ thinking: { type: "off" } }), "x1").parameter.chat.thinking).toEqual({ type: "disabled" });
    expect(encode(ask({ thinking, topP: 0.5 }), "v3.5").parameter.chat).toEqual({ domain: "generalv3.5" });
  });

  test.each([
    [0, "v3.5", 0.01],
    [1.7, "v3.5", 1],
    [1.7, "x2", 1.7],
  ])("a temperature of %d becomes one that %s takes", (temperature, model, taken) => {
    expect(encode(ask({ temperature, topK: 40 }), model).parameter.chat).toMatchObject({
      temperature: taken,
      top_k: 6,
    });
  });

  test("the limit can be read and lowered", () => {
    const json = spark.upstream.encode(ask({ maxTokens: 500 }), target("v3.5"));
    expect(spark.upstream.readCompletionMax(json)).toBe(500);
    const capped = { ...json, ...spark.upstream.capEdits(json, 20, {}) };
    expect(spark.upstream.readCompletionMax(capped)).toBe(20);
    expect(sparkRequest.safeParse(capped).error).toBeUndefined();
  });
});

test("an answer that calls a function has its name, its arguments and an id", () => {
  const decoder = spark.upstream.streamDecoder();
  const events = readChunksFixture("spark", "tools").flatMap((frame) => decoder.step(frame));
  const { response, hasEnded } = collectEvents(events);
  expect(hasEnded).toBe(true);
  expect(response.choices[0]).toMatchObject({
    content: [{ type: "tool-call", id: expect.stringMatching(/^call_\w+/), name: "get_weather" }],
    finishReason: { unified: "tool-calls" },
  });
});
