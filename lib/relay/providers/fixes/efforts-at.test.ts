import { expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import type { Json } from "../../wire/canonical/json";
import { openai } from "./request-fixes";

const options = defaultOptions();

const sent = (json: Json, model: string): Json =>
  JSON.parse(JSON.stringify({ ...json, ...openai("openai")(json, model, options) })) as Json;

test.each([
  ["gpt-5", "xhigh", "high"],
  ["gpt-5-mini-2025-08-07", "xhigh", "high"],
  ["gpt-5", "none", "minimal"],
  ["gpt-5", "minimal", "minimal"],
  ["gpt-5.1", "xhigh", "high"],
  ["gpt-5.1", "minimal", "none"],
  ["gpt-5.1-codex-max", "xhigh", "xhigh"],
  ["gpt-5-codex", "minimal", "low"],
  ["gpt-5-pro", "low", "high"],
  ["gpt-5.4-pro", "low", "medium"],
  ["gpt-5.5", "xhigh", "xhigh"],
  ["gpt-5.2-chat-latest", "high", "medium"],
  ["o3", "xhigh", "high"],
  ["o4-mini", "minimal", "low"],
  ["gpt-4.1", "high", undefined],
  ["gpt-4o-mini", "low", undefined],
  ["my-deployment", "xhigh", "xhigh"],
  ["gpt-5", "enormous", "enormous"],
])("%s is asked for an effort that it knows: %s becomes %s", (model, effort, becomes) => {
  expect(sent({ messages: [], reasoning_effort: effort }, model).reasoning_effort).toBe(becomes);
  const { reasoning } = sent({ input: "hi", reasoning: { effort, summary: "auto" } }, model);
  expect(reasoning).toEqual(becomes === undefined ? undefined : { effort: becomes, summary: "auto" });
});

test("an effort in the model's name is one that the model without it knows", () => {
  expect(sent({ model: "gpt-5-xhigh", messages: [] }, "gpt-5-xhigh")).toMatchObject({
    model: "gpt-5",
    reasoning_effort: "high",
  });
});

test("a usual request is left as it is, so that its bytes pass through", () => {
  const messages = [{ role: "assistant", content: "", tool_calls: [{ id: "call_1", type: "function" }] }];
  expect(openai("openai")({ messages, reasoning_effort: "high" }, "gpt-5", options)).toEqual({});
});

test("ids of calls are short enough for OpenAI, the same for a call and its result", () => {
  const id = "call_9f27ae4d-0f1c-4f4e-8f29-3b5c1d2e7a11_0_0";
  const call = { id, type: "function", function: { name: "f", arguments: "{}" } };
  const { messages } = sent(
    {
      messages: [
        { role: "assistant", content: null, tool_calls: [call, { ...call, id: "call_1" }] },
        { role: "tool", tool_call_id: id, content: "1" },
        { role: "tool", tool_call_id: "call_1", content: "2" },
      ],
    },
    "gpt-4o",
  );
  const [asked = {}, first, second] = messages as Json[];
  const [one, other] = asked.tool_calls as Json[];
  expect(String(one?.id).length).toBeLessThanOrEqual(40);
  expect(first?.tool_call_id).toBe(one?.id);
  expect([other?.id, second?.tool_call_id]).toEqual(["call_1", "call_1"]);
});
