import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { findPictureFault } from "@/lib/testing/strict-upstream/pictures";
import { setUpRelay } from "../harness";

type Json = Record<string, unknown>;

const CHANNELS = {
  "gemini-3-pro-image": CHANNEL_TYPE.gemini,
  "gemini-2.5-flash-image": CHANNEL_TYPE.gemini,
  "imagen-4.0-generate-001": CHANNEL_TYPE.gemini,
  "imagen-4.0-fast-generate-001": CHANNEL_TYPE.gemini,
  "gpt-image-t": CHANNEL_TYPE.openai,
  "seedream-t": CHANNEL_TYPE.volcengine,
  "wanx-t": CHANNEL_TYPE.dashscope,
  "Qwen/Qwen-Image-Edit-2509": CHANNEL_TYPE.siliconflow,
  "Qwen/Qwen-Image": CHANNEL_TYPE.siliconflow,
  "Kwai-Kolors/Kolors": CHANNEL_TYPE.siliconflow,
} as const;
type Model = keyof typeof CHANNELS;

const relay = setUpRelay({ prices: Object.keys(CHANNELS).join(","), channels: [], options: { RetryTimes: "3" } });
const asked: { path: string; body: Json }[] = [];
let answer: { status?: number; body: unknown; isStream?: boolean } = { body: {} };

const server = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += String(part);
  if (request.method === "GET") {
    response.writeHead(200, { "content-type": "application/json" });
    return void response.end(JSON.stringify(answer.body));
  }
  asked.push({ path: request.url ?? "", body: (text === "" ? {} : JSON.parse(text)) as Json });
  const fault = findPictureFault(request.url ?? "", asked.at(-1)?.body);
  if (fault !== null) {
    response.writeHead(400, { "content-type": "application/json" });
    return void response.end(JSON.stringify({ error: { code: 400, message: fault, status: "INVALID_ARGUMENT" } }));
  }
  const isTask = (request.url ?? "").includes("image-synthesis");
  const body = isTask && !answer.status ? { output: { task_id: "t1", task_status: "PENDING" } } : answer.body;
  const type = answer.isStream ? "text/event-stream" : "application/json";
  response.writeHead(answer.status ?? 200, { "content-type": type });
  response.end(answer.isStream ? String(body) : JSON.stringify(body));
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const [models, type] of Object.entries(CHANNELS)) {
    for (const priority of [0, -1]) await relay.addChannel({ type, baseUrl, models, priority });
  }
  await relay.inForce();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function draw(model: Model, more: Json = {}, path = "/v1/images/generations") {
  const { user, token } = await relay.addCaller({ balance: 10_000_000 });
  asked.length = 0;
  const headers = { "content-type": "application/json", authorization: `Bearer ${token.key}` };
  const body = JSON.stringify({ model, prompt: "a heron", ...more });
  const response = await fetch(relay.url + path, { method: "POST", headers, body });
  const text = await response.text();
  const { used } = await relay.balanceOf(user);
  return { status: response.status, text, used, asked: asked.length, sent: asked.at(-1)?.body ?? {} };
}

const candidate = (finishReason: string, more: Json = {}) => ({
  candidates: [{ content: { role: "model" }, finishReason, index: 0, ...more }],
  usageMetadata: { promptTokenCount: 9, totalTokenCount: 9 },
});

/**
 * How makers withhold a picture. https://ai.google.dev/api/generate-content#FinishReason and #BlockReason,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/imagen-api (raiFilteredReason),
 * https://platform.openai.com/docs/guides/image-generation (moderation_blocked), https://www.volcengine.com/docs/82379/1299023,
 * https://help.aliyun.com/zh/model-studio/error-code (DataInspectionFailed)
 */
const REFUSALS: readonly [name: string, model: Model, answer: typeof answer, reason: string][] = [
  ...[
    "IMAGE_SAFETY",
    "IMAGE_PROHIBITED_CONTENT",
    "IMAGE_RECITATION",
    "PROHIBITED_CONTENT",
    "SAFETY",
    "BLOCKLIST",
    "SPII",
    "RECITATION",
  ].map((word): [string, Model, typeof answer, string] => [
    `Gemini ${word}`,
    "gemini-3-pro-image",
    { body: candidate(word, { finishMessage: "Unable to show the generated image." }) },
    `${word}: Unable to show`,
  ]),
  ...["PROHIBITED_CONTENT", "SAFETY", "IMAGE_SAFETY", "OTHER"].map(
    (blockReason): [string, Model, typeof answer, string] => [
      `Gemini's block of the prompt: ${blockReason}`,
      "gemini-2.5-flash-image",
      { body: { promptFeedback: { blockReason }, usageMetadata: { promptTokenCount: 9 } } },
      blockReason,
    ],
  ),
  [
    "Imagen's filter",
    "imagen-4.0-generate-001",
    { body: { predictions: [{ raiFilteredReason: "58061214: no herons" }] } },
    "no herons",
  ],
  ["Imagen's filter without a reason", "imagen-4.0-generate-001", { body: {} }, "no picture passed"],
  [
    "OpenAI's moderation",
    "gpt-image-t",
    {
      status: 400,
      body: {
        error: {
          message: "Your request was rejected by the safety system.",
          type: "image_generation_user_error",
          code: "moderation_blocked",
        },
      },
    },
    "safety system",
  ],
  [
    "OpenAI's moderation with a good status",
    "gpt-image-t",
    {
      body: {
        error: {
          message: "Your request was rejected by the safety system.",
          type: "image_generation_user_error",
          code: "moderation_blocked",
        },
      },
    },
    "safety system",
  ],
  [
    "OpenAI's moderation in a stream",
    "gpt-image-t",
    {
      isStream: true,
      body: 'event: error\ndata: {"type":"error","error":{"type":"image_generation_user_error","code":"moderation_blocked","message":"rejected by the safety system"}}\n\n',
    },
    "safety system",
  ],
  ...[
    "OutputImageSensitiveContentDetected",
    "InputTextSensitiveContentDetected.PolicyViolation",
    "InputImageRiskDetection",
  ].flatMap((code): [string, Model, typeof answer, string][] => [
    [
      `Ark ${code}`,
      "seedream-t",
      { status: 400, body: { error: { code, message: "not possible", type: "BadRequest" } } },
      "not possible",
    ],
    [
      `Ark ${code} of each picture`,
      "seedream-t",
      { body: { model: "s", data: [{ error: { code, message: "not possible" } }] } },
      "not possible",
    ],
  ]),
  [
    "Ark in a stream",
    "seedream-t",
    {
      isStream: true,
      body: 'event: image_generation.partial_failed\ndata: {"type":"image_generation.partial_failed","image_index":0,"error":{"code":"OutputImageSensitiveContentDetected","message":"not possible"}}\n\n',
    },
    "not possible",
  ],
  [
    "DashScope",
    "wanx-t",
    { body: { output: { task_id: "t1", task_status: "FAILED", code: "DataInspectionFailed", message: "no herons" } } },
    "no herons",
  ],
  [
    "DashScope of each picture",
    "wanx-t",
    {
      body: {
        output: {
          task_id: "t1",
          task_status: "FAILED",
          results: [{ code: "DataInspectionFailed", message: "no herons" }],
        },
      },
    },
    "no herons",
  ],
  [
    "DashScope at once",
    "wanx-t",
    { status: 400, body: { code: "DataInspectionFailed", message: "no herons", request_id: "r" } },
    "no herons",
  ],
  [
    "SiliconFlow",
    "Qwen/Qwen-Image-Edit-2509",
    { status: 400, body: { code: 20015, message: "The prompt may contain sensitive information", data: null } },
    "sensitive",
  ],
];

test.each(REFUSALS)(
  "a picture that is withheld is 400 with the reason, asked for once and free: %s",
  async (_name, model, given, reason) => {
    answer = given;
    const { status, text, used, asked } = await draw(model, given.isStream ? { stream: true } : {});
    expect([status, asked, used, text.includes(reason) ? reason : text]).toEqual([400, 1, 0, reason]);
  },
);

test("a model that talks instead of drawing is told in its words, asked for once and free", async () => {
  const parts = [{ text: "Thinking.", thought: true }, { text: "Which heron do you mean?" }];
  answer = { body: candidate("STOP", { content: { role: "model", parts } }) };
  const { status, text, used, asked } = await draw("gemini-3-pro-image");
  expect([status, asked, used]).toEqual([400, 1, 0]);
  expect(text).toContain("Which heron do you mean?");
  expect(text).not.toContain("Thinking.");
});

const PICTURE = "data:image/png;base64,iVBORw0KGgo=";

/** https://ai.google.dev/gemini-api/docs/image-generation#aspect_ratios, https://ai.google.dev/gemini-api/docs/imagen,
 * https://docs.siliconflow.cn/cn/api-reference/images/images-generations, https://help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference */
const CARRIED: readonly [model: Model, given: Json, sent: Json][] = [
  [
    "gemini-3-pro-image",
    { size: "2048x2048" },
    { generationConfig: { imageConfig: { aspectRatio: "1:1", imageSize: "2K" } } },
  ],
  [
    "gemini-3-pro-image",
    { size: "4096x2304" },
    { generationConfig: { imageConfig: { aspectRatio: "16:9", imageSize: "4K" } } },
  ],
  ["gemini-3-pro-image", { size: "1024x1024" }, { generationConfig: { imageConfig: { aspectRatio: "1:1" } } }],
  [
    "gemini-3-pro-image",
    { image_config: { aspect_ratio: "21:9", image_size: "4k" } },
    { generationConfig: { imageConfig: { aspectRatio: "21:9", imageSize: "4K" } } },
  ],
  [
    "gemini-3-pro-image",
    { imageConfig: { aspectRatio: "3:4" }, seed: 7 },
    { generationConfig: { seed: 7, imageConfig: { aspectRatio: "3:4" } } },
  ],
  [
    "gemini-2.5-flash-image",
    { aspect_ratio: "9:16", quality: "standard" },
    { generationConfig: { imageConfig: { aspectRatio: "9:16" } } },
  ],
  ["imagen-4.0-generate-001", { size: "2048x2048" }, { parameters: { aspectRatio: "1:1", sampleImageSize: "2K" } }],
  [
    "imagen-4.0-generate-001",
    { image_size: "2K", personGeneration: "dont_allow" },
    { parameters: { sampleImageSize: "2K", personGeneration: "dont_allow" } },
  ],
  [
    "Qwen/Qwen-Image-Edit-2509",
    { images: [PICTURE, `${PICTURE}2`, `${PICTURE}3`] },
    { image: PICTURE, image2: `${PICTURE}2`, image3: `${PICTURE}3` },
  ],
  [
    "Qwen/Qwen-Image-Edit-2509",
    { seed: 7, num_inference_steps: 20, negative_prompt: "fish", cfg: 4, size: "auto" },
    { seed: 7, num_inference_steps: 20, negative_prompt: "fish", cfg: 4 },
  ],
  ["Qwen/Qwen-Image", { image_size: "1664x928", cfg: 4 }, { image_size: "1664x928", cfg: 4 }],
  ["Qwen/Qwen-Image", {}, { image_size: "1328x1328" }],
  [
    "Kwai-Kolors/Kolors",
    { n: 4, guidance_scale: 7.5 },
    { batch_size: 4, guidance_scale: 7.5, image_size: "1024x1024" },
  ],
  [
    "Qwen/Qwen-Image-Edit-2509",
    { steps: 20, image: PICTURE, image2: `${PICTURE}2` },
    { num_inference_steps: 20, image: PICTURE, image2: `${PICTURE}2` },
  ],
  [
    "wanx-t",
    { seed: 7, negative_prompt: "fish", prompt_extend: false },
    { input: { negative_prompt: "fish" }, parameters: { seed: 7, prompt_extend: false } },
  ],
];

/** What a maker has no word for. */
const NAMED: readonly [model: Model, given: Json, param: string][] = [
  ["gemini-2.5-flash-image", { size: "2048x2048" }, "size"],
  ["gemini-2.5-flash-image", { image_size: "4K" }, "image_size"],
  ["gemini-3-pro-image", { quality: "hd" }, "quality"],
  ["gemini-3-pro-image", { quality: "low" }, "quality"],
  ["gemini-3-pro-image", { background: "transparent" }, "background"],
  ["gemini-3-pro-image", { output_format: "webp" }, "output_format"],
  ["gemini-3-pro-image", { negative_prompt: "fish" }, "negative_prompt"],
  ["gemini-3-pro-image", { aspect_ratio: "7:5" }, "aspect_ratio"],
  ["imagen-4.0-generate-001", { quality: "hd" }, "quality"],
  ["imagen-4.0-generate-001", { seed: 7 }, "seed"],
  ["imagen-4.0-fast-generate-001", { size: "2048x2048" }, "size"],
  ["Qwen/Qwen-Image-Edit-2509", { quality: "hd" }, "quality"],
  ["Qwen/Qwen-Image-Edit-2509", { background: "transparent" }, "background"],
  ["Qwen/Qwen-Image-Edit-2509", { images: [PICTURE, PICTURE, PICTURE, PICTURE] }, "images"],
  ["Qwen/Qwen-Image-Edit-2509", { size: "1024x1024" }, "size"],
  ["Qwen/Qwen-Image-Edit-2509", { image_size: "1328x1328" }, "image_size"],
  ["Qwen/Qwen-Image-Edit-2509", { n: 2 }, "n"],
  ["Qwen/Qwen-Image", { guidance_scale: 7.5 }, "guidance_scale"],
  ["Kwai-Kolors/Kolors", { n: 5 }, "n"],
  ["wanx-t", { quality: "hd" }, "quality"],
  ["wanx-t", { aspect_ratio: "1:1" }, "aspect_ratio"],
];

describe("options of pictures", () => {
  test.each(CARRIED)("are carried: %s %j", async (model, given, sent) => {
    const image = { inlineData: { mimeType: "image/png", data: "iVBORw0KGgo=" } };
    answer = {
      body: {
        candidates: [{ content: { parts: [image] }, finishReason: "STOP" }],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1_290 },
        predictions: [{ bytesBase64Encoded: "iVBORw0KGgo=", mimeType: "image/png" }],
        images: [{ url: "https://x.invalid/1.png" }],
        output: { task_id: "t1", task_status: "SUCCEEDED", results: [{ url: "https://x.invalid/1.png" }] },
      },
    };
    const drawn = await draw(model, given);
    expect([drawn.status, drawn.status === 200 ? "" : drawn.text]).toEqual([200, ""]);
    expect(drawn.sent).toMatchObject(sent);
  });

  test.each(NAMED)("are refused by name where the maker has no word for them: %s %j", async (model, given, param) => {
    const { status, text, asked } = await draw(model, given);
    const { error } = JSON.parse(text) as { error: Json };
    expect([status, error.param, asked]).toEqual([400, param, 0]);
  });
});
