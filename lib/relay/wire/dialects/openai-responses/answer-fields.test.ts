import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RenderContext } from "../dialect";
import { openaiResponses } from ".";

const { client } = openaiResponses;
const context: RenderContext = { requestId: "r1", model: "m", wantsUsage: true, createdAt: 1 };

/** Fields of the type that are only there where something was asked for that this request does not ask for. */
const OPTIONAL =
  /^(output_text|access_programs|conversation|image|input_transformations|moderation|prompt|prompt_cache_(diagnostics|options|retention)|tool_usage)$/;

test("a translated answer has every field that an answer of OpenAI's has, with numbers for numbers", () => {
  const types = readFileSync(
    new URL("../../../../../node_modules/openai/resources/responses/responses.d.ts", import.meta.url),
  );
  const [, body = ""] =
    /interface Response \{\r?\n([\s\S]*?)\n\}/.exec(String(types).replace(/\/\*\*[\s\S]*?\*\//g, "")) ?? [];
  const fields = [...body.matchAll(/^ {4}(\w+)\??:/gm)]
    .map(([, name = ""]) => name)
    .filter((name) => !OPTIONAL.test(name));
  expect(fields.length).toBeGreaterThan(20);
  const text = { type: "text" as const, text: "hi" };
  const choice = { index: 0, content: [text], finishReason: { unified: "stop" as const, raw: "stop" } };
  const request = {
    input: "a",
    tools: [
      { type: "function", name: "f" },
      { type: "custom", name: "g" },
    ],
    max_tool_calls: 3,
    safety_identifier: "u",
    prompt_cache_key: "k",
  };
  const response = { id: "x", model: "m", choices: [choice], usage: null };
  const told = client.renderResponse(response, { ...context, now: () => 9, request });
  expect(Object.keys(told)).toEqual(expect.arrayContaining([...fields, "presence_penalty", "frequency_penalty"]));
  expect(told).toMatchObject({
    completed_at: 9,
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    top_logprobs: 0,
    max_tool_calls: 3,
    service_tier: "default",
    safety_identifier: "u",
    prompt_cache_key: "k",
    tools: [
      { type: "function", name: "f", strict: null, parameters: null, description: null },
      { type: "custom", name: "g" },
    ],
  });
  const renderer = client.streamRenderer({ ...context, request });
  const [created] = renderer.step({ type: "start", id: "x", model: "m" });
  const { response: started } = JSON.parse(created?.data ?? "{}") as { response?: object };
  expect(started).toMatchObject({ completed_at: null, status: "in_progress", temperature: 1 });
});
