import { describe, expect, test } from "vitest";
import { rulesOf } from "../../../model-rules/rules-of";
import { anthropicMessages } from "./anthropic-messages";
import { geminiGenerateContent } from "./gemini-generate-content";
import { openaiChat } from "./openai-chat";

const frame = (more: object): string => `data: ${JSON.stringify({ id: "c1", created: 5, model: "m", ...more })}\n\n`;
const event = (type: string, more: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

describe("the end of a stream that is stopped", () => {
  test("OpenAI: every choice finishes for its length, under the id of the answer", () => {
    const first =
      frame({ choices: [{ index: 0, delta: { content: "a" } }] }) +
      frame({ choices: [{ index: 1, delta: { content: "b" } }] });
    const lines = openaiChat.upstream.passThrough.cutShort(first, "").split("\n\n");
    expect(lines.pop()).toBe("");
    expect(lines.pop()).toBe("data: [DONE]");
    const frames = lines.map((line) => JSON.parse(line.slice(5)) as Record<string, unknown>);
    expect(frames).toMatchObject([
      { id: "c1", model: "m", choices: [{ index: 0, delta: {}, finish_reason: "length" }] },
      { id: "c1", model: "m", choices: [{ index: 1, delta: {}, finish_reason: "length" }] },
    ]);
  });

  test("Anthropic: the open block is closed, a closed one is not", () => {
    const { cutShort } = anthropicMessages.upstream.passThrough;
    const delta = event("content_block_delta", { index: 2, delta: { type: "text_delta", text: "x" } });
    const types = (text: string): unknown[] => [...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
    expect(types(cutShort("", delta))).toEqual(["content_block_stop", "message_delta", "message_stop"]);
    expect(cutShort("", delta)).toContain('"index":2');
    expect(cutShort("", delta)).toContain('"stop_reason":"max_tokens"');
    const closed = delta + event("content_block_stop", { index: 2 });
    expect(types(cutShort("", closed))).toEqual(["message_delta", "message_stop"]);
  });
});

describe("a stream of Google's that is stopped", () => {
  test("Google: every candidate finishes for its length, under the id of the answer", () => {
    const first = [0, 1].map((index) => `data: ${JSON.stringify({ candidates: [{ index }], responseId: "c1" })}\n\n`);
    const frame = geminiGenerateContent.upstream.passThrough.cutShort(first.join(""), "");
    expect(JSON.parse(frame.slice(5))).toMatchObject({
      responseId: "c1",
      candidates: [
        { index: 0, finishReason: "MAX_TOKENS" },
        { index: 1, finishReason: "MAX_TOKENS" },
      ],
    });
  });
});

describe("a cap", () => {
  test("Google: is set within generationConfig, whatever its spelling", () => {
    const { capEdits } = geminiGenerateContent.upstream;
    expect(capEdits({ generationConfig: { topK: 1 } }, 100, {})).toEqual({
      generationConfig: { topK: 1, maxOutputTokens: 100 },
    });
    expect(capEdits({ generation_config: { max_output_tokens: 900 } }, 100, {})).toEqual({
      generation_config: { max_output_tokens: 100 },
    });
  });

  test("OpenAI: lowers the limits that are there, or sets the one that the model takes", () => {
    const { capEdits } = openaiChat.upstream;
    expect(capEdits({ max_tokens: 900, max_completion_tokens: 50 }, 100, {})).toEqual({ max_tokens: 100 });
    expect(capEdits({ max_completion_tokens: 900 }, 100, rulesOf("o3"))).toEqual({ max_completion_tokens: 100 });
    expect(capEdits({}, 100, {})).toEqual({ max_tokens: 100 });
    expect(capEdits({}, 100, rulesOf("gpt-5-mini"))).toEqual({ max_completion_tokens: 100 });
  });

  test("Anthropic: a thinking budget stays below it, or goes", () => {
    const { capEdits } = anthropicMessages.upstream;
    const thinking = { type: "enabled", budget_tokens: 4_000 };
    expect(capEdits({ max_tokens: 9_000, thinking }, 5_000, {})).toEqual({ max_tokens: 5_000 });
    expect(capEdits({ max_tokens: 9_000, thinking }, 3_000, {})).toEqual({
      max_tokens: 3_000,
      thinking: { type: "enabled", budget_tokens: 2_999 },
    });
    expect(capEdits({ max_tokens: 9_000, thinking }, 500, {})).toEqual({ max_tokens: 500, thinking: undefined });
  });
});
