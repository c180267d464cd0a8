import { expect, test } from "vitest";
import { readUsage as readSessionUsage } from "../../../side/realtime/session-books";
import { readUsage as readResponsesUsage } from "../openai-responses/usage";
import { readUsage } from "./usage";

const raw = {
  prompt_tokens: 100,
  completion_tokens: 10,
  total_tokens: 110,
  prompt_tokens_details: { cached_tokens: 60, audio_tokens: 30 },
  completion_tokens_details: { reasoning_tokens: 4, audio_tokens: 2 },
};
const read = {
  promptTokens: 100,
  completionTokens: 10,
  cachedTokens: 60,
  cacheWriteTokens: 0,
  reasoningTokens: 4,
  audioPromptTokens: 30,
  audioCompletionTokens: 2,
};

test("usage is read with its parts", () => {
  expect(readUsage(raw)).toEqual(read);
  expect(readUsage({ prompt_tokens: 5, prompt_cache_hit_tokens: 3 })).toMatchObject({ cachedTokens: 3 });
});

test("sound that was cached is cached, and no sound (contract §5.2)", () => {
  const details = { cached_tokens: 60, audio_tokens: 80, cached_tokens_details: { text_tokens: 10, audio_tokens: 50 } };
  const parts = { cachedTokens: 60, audioPromptTokens: 30 };
  expect(readUsage({ prompt_tokens: 120, prompt_tokens_details: details })).toMatchObject(parts);
  expect(readResponsesUsage({ input_tokens: 120, input_tokens_details: details })).toMatchObject(parts);
  expect(readSessionUsage({ input_tokens: 120, output_tokens: 0, input_token_details: details })).toMatchObject(parts);
  const { cached_tokens_details: _, ...untold } = details;
  const all = { ...untold, audio_tokens: 120 };
  expect(readSessionUsage({ input_tokens: 120, output_tokens: 0, input_token_details: all })).toMatchObject({
    cachedTokens: 60,
    audioPromptTokens: 60,
  });
});

test("a part is never more than the whole", () => {
  const details = { cached_tokens: 90, audio_tokens: 90 };
  expect(readUsage({ prompt_tokens: 100, prompt_tokens_details: details })).toMatchObject({
    cachedTokens: 90,
    audioPromptTokens: 10,
  });
});

test("usage that says nothing usable is unknown, not zero", () => {
  const odd = [null, undefined, 1, [], {}, { prompt_tokens: 0, completion_tokens: 0 }, { prompt_tokens: "5" }];
  for (const value of [...odd, { prompt_tokens: -1 }, { prompt_tokens: 1e12 }]) expect(readUsage(value)).toBeNull();
});

test("where reasoning is in the total only, it is counted as completion", () => {
  expect(readUsage({ ...raw, total_tokens: 150 })).toEqual({ ...read, completionTokens: 50 });
  for (const total_tokens of [null, undefined, "150", 90]) expect(readUsage({ ...raw, total_tokens })).toEqual(read);
});

test("the total of a Responses answer includes thoughts that its output leaves out", () => {
  const given = {
    input_tokens: 32,
    output_tokens: 9,
    output_tokens_details: { reasoning_tokens: 110 },
    total_tokens: 151,
  };
  expect(readResponsesUsage(given)).toMatchObject({ completionTokens: 119, reasoningTokens: 110 });
});
