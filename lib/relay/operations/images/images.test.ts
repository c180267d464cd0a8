import { describe, expect, test } from "vitest";
import { MediaAnswer } from "../../answers/media/media-answer";
import { Secrets } from "../../base/secrets";
import { openaiCaller } from "../documents/document-fields";
import type { Call, Intake } from "../operation";
import { images } from ".";
import { dashscopeImages } from "./dashscope";
import { readImages } from "./image-request";
import { needOf } from "./image-usage";

const clientDialect = openaiCaller("invalid_image_request");
const headers = {};
const path = "/v1/images/generations";
const call: Call = { operation: images, clientDialect, requestId: "r", path, query: "", headers, allowedOptions: [] };
const bodyOf = (more: object) => ({ model: "dall-e-3", prompt: "a weir", ...more });
const read = (more: object) => images.read(Buffer.from(JSON.stringify(bodyOf(more))), call) as Intake;
const requestOf = (more: object) => {
  const json = bodyOf(more);
  return readImages({ json, bytes: Buffer.from(JSON.stringify(json)) }, "generations");
};
const picture = `{"b64_json":"${"A".repeat(200_000)}"}`;
const left = {
  bodyBytes: 100,
  pictureBytes: 0,
  unseenTokensMax: 0,
  hidden: null,
  completionTokensMax: 0,
  isAnswered: false,
};

/** What is charged when so much of an answer has arrived. */
async function measured(parts: readonly string[], more: object, sent: object) {
  const isStream = "stream" in more;
  const answer = new MediaAnswer({
    expects: "document",
    isStream,
    readFacts: () => undefined,
    hasAnswer: () => true,
    beginning: /"(b64_json|url)"\s*:\s*"[^"]/,
    contentType: "application/json",
    secrets: new Secrets("k", [], ""),
  });
  answer.start({ status: 200, contentType: undefined, retryAfter: undefined });
  for (const part of parts) answer.push(Buffer.from(part));
  return read(more).measure(answer.report(), { ...left, ...sent });
}

describe("what is charged of pictures that were begun", () => {
  const parts = [`{"created":1,"data":[`, picture, ",", picture, ",", picture.slice(0, 100_000)];

  test("who leaves pays for all that it has seen of them", async () => {
    expect((await measured(parts, { n: 3 }, { hasLeft: true })).meters).toMatchObject([{ quantity: 3 }]);
  });

  test("who is cut off pays for the whole ones", async () => {
    expect((await measured(parts, { n: 3 }, { hasLeft: false })).meters).toMatchObject([{ quantity: 2 }]);
  });

  test("a part of a picture is one for who leaves, and none for who is cut off", async () => {
    const event = `event: image_generation.partial_image\ndata: {"type":"image_generation.partial_image","b64_json":"AA"}\n\n`;
    const more = { stream: true, partial_images: 3 };
    expect((await measured([event], more, { hasLeft: true })).meters).toMatchObject([{ quantity: 1 }]);
    expect((await measured([event], more, { hasLeft: false })).meters).toBeUndefined();
  });
});

describe("what is reserved for pictures", () => {
  test("a size costs the same however it is written, where the upstream reads it the same", () => {
    for (const size of ["1792x1024", "1792*1024", "01792x01024", " 1792X1024 "])
      expect(needOf(requestOf({ size })).meters).toEqual([{ meter: "picture", quantity: 1, variant: "1792x1024" }]);
    const { body } = dashscopeImages.encode(requestOf({ size: "01792*01024" }), "m") as { body: Buffer };
    expect(JSON.parse(`${body}`)).toMatchObject({ parameters: { size: "1792*1024" } });
  });

  test("a model by another name may count tokens", () => {
    expect(needOf(requestOf({ model: "openai/gpt-image-1", n: 10 })).completionTokensMax).toBeGreaterThan(60_000);
    expect(needOf(requestOf({ n: 10 })).completionTokensMax).toBe(0);
  });

  test.each([
    [{ batch_size: 4 }, 4],
    [{ sequential_image_generation: "auto" }, 15],
    [{ sequential_image_generation: "auto", sequential_image_generation_options: { max_images: 6 } }, 6],
    [{ n: 2, num_images: "8" }, 8],
    [{ n: 2, batch_size: {} }, 2],
    [{ n: 2, batch_size: 1e9 }, 100],
  ])("all that makers call n counts: %j", (more, quantity) => {
    expect(needOf(requestOf(more)).meters).toMatchObject([{ quantity }]);
  });
});
