import { expect, test } from "vitest";
import { operationsOfModel } from "./model-page-queries";

test.each([
  ["gpt-4o", ["chat"]],
  ["claude-opus-4-5", ["chat"]],
  ["text-embedding-3-small", ["embeddings"]],
  ["bge-reranker-v2-m3", ["rerank"]],
  ["omni-moderation-latest", ["moderations"]],
  ["dall-e-3", ["images"]],
  ["gpt-image-1", ["images", "image_edits"]],
  ["tts-1", ["speech"]],
  ["whisper-1", ["transcriptions"]],
  ["gpt-4o-transcribe", ["transcriptions"]],
  ["gpt-realtime", ["realtime"]],
  ["gpt-3.5-turbo-instruct", ["completions"]],
  ["mj_imagine", ["drawing"]],
  ["mj_upscale", []],
  ["suno_music", ["music"]],
  ["sora-2", ["videos"]],
  ["veo-3.0-generate-001", ["videos"]],
])("the page of %s has samples for %j", (model, operations) => {
  expect(operationsOfModel(model)).toEqual(operations);
});
