import { expect, test } from "vitest";
import { purposesOf } from "./model-purposes";

test.each([
  ["gpt-4o-mini", ["chat"]],
  ["gpt-4o-audio-preview", ["chat"]],
  ["my-own-model", ["chat"]],
  ["gpt-image-1", ["images"]],
  ["dall-e-3", ["images"]],
  ["black-forest-labs/FLUX.1-schnell", ["images"]],
  ["gemini-2.5-flash-image", ["images", "chat"]],
  ["tts-1-hd", ["speech"]],
  ["gpt-4o-mini-tts", ["speech"]],
  ["FunAudioLLM/CosyVoice2-0.5B", ["speech"]],
  ["whisper-1", ["transcriptions"]],
  ["gpt-4o-transcribe", ["transcriptions"]],
  ["FunAudioLLM/SenseVoiceSmall", ["transcriptions"]],
  ["text-embedding-3-small", ["embeddings"]],
  ["BAAI/bge-m3", ["embeddings"]],
  ["BAAI/bge-reranker-v2-m3", []],
  ["omni-moderation-latest", []],
  ["gpt-realtime", []],
  ["sora-2", []],
])("%s is offered for %j", (model, purposes) => {
  expect([...purposesOf(model)].sort()).toEqual([...purposes].sort());
});

test("a name that says nothing is told by what the model is charged for", () => {
  expect([...purposesOf("house-painter", { "picture:1024x1024": 0.04 })]).toEqual(["images"]);
  expect([...purposesOf("house-speaker", { character: 0.00001 })]).toEqual(["speech"]);
  expect([...purposesOf("house-listener", { second: 0.0001 })]).toEqual(["transcriptions"]);
  expect([...purposesOf("house-searcher", { search: 0.002 })]).toEqual(["chat"]);
});
