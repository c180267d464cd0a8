import { beforeAll, describe, expect, test } from "vitest";
import { until } from "../../../testing/until";
import { countTokens } from "../../base/tokens/count-tokens";
import { upstreamFormats } from "../../wire/dialects";
import { openaiChat } from "../../wire/dialects/openai-chat";
import type { Call } from "../operation";
import { ChatSource } from "./chat-source";
import { measureChat } from "./measure-chat";

// Else the first count waits for the thread that counts, and is an estimate.
beforeAll(() => until(async () => (await countTokens(["hello world"], "m")) === 2, 20_000));

const json = { model: "m", messages: [{ role: "user", content: "How wide is the river at the weir?" }] };
const body = Buffer.from(JSON.stringify(json));
const source = new ChatSource({} as Call, openaiChat, body, json, openaiChat.client.readFacts(json, ""));
const sent = {
  bodyBytes: body.length,
  pictureBytes: 0,
  unseenTokensMax: 0,
  hidden: null,
  completionTokensMax: 0,
  isAnswered: true,
};
const text = "some ten metres";
const length = { asciiBytes: text.length, otherBytes: 0 };

async function measured(format: string, usage: object) {
  return measureChat(
    source,
    {
      usage: upstreamFormats.get(format)?.readUsage(usage) ?? null,
      finishReason: null,
      isComplete: true,
      textBytes: () => text.length,
      textLength: () => length,
      sample: () => ({ countable: { texts: [text], extra: 0 }, isAll: true, length }),
    },
    sent,
  );
}

describe("a report of the answer without its prompt, in which nothing else is wrong", () => {
  test.each([
    ["openai-chat", { completion_tokens: 3 }],
    ["openai-chat", { prompt_tokens: "12", completion_tokens: 3 }],
    ["openai-responses", { input_tokens: -5, output_tokens: 3 }],
    ["anthropic-messages", { output_tokens: 3 }],
    ["gemini-generate-content", { candidatesTokenCount: 3 }],
    ["bedrock-converse", { inputTokens: null, outputTokens: 3 }],
    ["dashscope", { output_tokens: 3 }],
    ["ernie", { prompt_tokens: 0, completion_tokens: 3 }],
    ["hunyuan", { CompletionTokens: 3 }],
  ])("%s: the prompt is counted here, and never free", async (format, usage) => {
    const counted = await measured(format, {});
    expect(counted).toMatchObject({ estimated: true, completionTokens: 3 });
    expect(counted.promptTokens).toBeGreaterThan(5);
    expect(await measured(format, usage)).toMatchObject({
      promptTokens: counted.promptTokens,
      completionTokens: 3,
      estimated: true,
    });
  });

  test("a report with both is believed as it is", async () => {
    const usage = { prompt_tokens: 12, completion_tokens: 3 };
    expect(await measured("openai-chat", usage)).toMatchObject({ promptTokens: 12, estimated: false });
  });
});
