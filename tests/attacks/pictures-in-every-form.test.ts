// An upstream delivers pictures in a form of its own: one event for each of a series, a list by another name, usage alone at
// the end. Each picture that reached the caller is charged, once, and no more than were asked for; what the maker counts in
// tokens is believed up to what such a series can have.
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay, until } from "../relay/harness";

type Form = {
  type: number;
  model: string;
  asked?: Record<string, unknown>;
  path?: string;
  /** Events of a stream, or a whole answer. */
  answer: readonly Record<string, unknown>[] | Record<string, unknown>;
  /** Delivered, and charged. */
  pictures: number;
};

const USD = 0.035;
const EACH = 17_500;
const url = (at: number): string => `https://x.invalid/${at}.png`;
const bytes = "d2hvbGU=";
const list = <Item>(count: number, item: (at: number) => Item): Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
const arkEvent = (at: number, more: object = {}) => ({
  type: "image_generation.partial_succeeded",
  image_index: at,
  url: url(at),
  size: "2496x1664",
  ...more,
});
const arkUsage = (count: number) => ({
  generated_images: count,
  output_tokens: count * 16_224,
  total_tokens: count * 16_224,
});
const arkEnd = (count: number) => ({ type: "image_generation.completed", model: "m", usage: arkUsage(count) });
const arkFailure = (at: number) => ({
  type: "image_generation.partial_failed",
  image_index: at,
  error: { code: "OutputImageSensitiveContentDetected", message: "may contain sensitive information" },
});
const series = { sequential_image_generation: "auto", sequential_image_generation_options: { max_images: 10 } };
const { volcengine: ark, openai, xai, zhipu, siliconflow, dashscope, gemini } = CHANNEL_TYPE;

/** Each with what its maker publishes. */
const FORMS: Readonly<Record<string, Form>> = {
  // docs.byteplus.com/en/docs/ModelArk/1824137 and 1541523
  "a series of Ark's, streamed": {
    type: ark,
    model: "doubao-seedream-4-0-250828",
    asked: { stream: true, ...series },
    answer: [...list(10, arkEvent), arkEnd(10)],
    pictures: 10,
  },
  "one picture of Ark's, streamed": {
    type: ark,
    model: "doubao-seedream-4-5-251128",
    asked: { stream: true },
    answer: [arkEvent(0), arkEnd(1)],
    pictures: 1,
  },
  "a series of Ark's in base64, streamed": {
    type: ark,
    model: "seedream-b64",
    asked: { stream: true, ...series, response_format: "b64_json" },
    answer: [...list(3, (at) => arkEvent(at, { url: undefined, b64_json: "QUJD".repeat(40_000) })), arkEnd(3)],
    pictures: 3,
  },
  "a series of which some were not drawn": {
    type: ark,
    model: "seedream-part",
    asked: { stream: true, ...series },
    answer: [arkFailure(0), arkEvent(1), arkFailure(2), arkEvent(3), arkEnd(2)],
    pictures: 2,
  },
  "a series of Ark's, whole": {
    type: ark,
    model: "seedream-whole",
    asked: series,
    answer: {
      data: [...list(3, (at) => ({ url: url(at), size: "2496x1664" })), { error: { code: "x", message: "y" } }],
      usage: arkUsage(3),
    },
    pictures: 3,
  },
  "a series behind a name of the operator's": {
    type: ark,
    model: "ep-20260101-abcde",
    asked: { stream: true, ...series },
    answer: [...list(4, arkEvent), arkEnd(4)],
    pictures: 4,
  },
  // platform.minimax.io/docs/api-reference/image-generation-h3-streaming
  "a series of MiniMax's, streamed": {
    type: openai,
    model: "MiniMax-H3-Image",
    asked: { stream: true, n: 3 },
    answer: [...list(3, arkEvent), { type: "image_generation.completed", usage: { generated_images: 3 } }],
    pictures: 3,
  },
  "edits of MiniMax's, streamed": {
    type: openai,
    model: "MiniMax-H3-Edit",
    path: "/v1/images/edits",
    asked: { stream: true, n: 2, images: [url(9)] },
    answer: [
      ...list(2, (at) => arkEvent(at, { type: "image_edit.partial_succeeded" })),
      { type: "image_edit.completed", usage: {} },
    ],
    pictures: 2,
  },
  // platform.minimax.io/docs/api-reference/image-generation-t2i
  "addresses of MiniMax's": {
    type: openai,
    model: "image-01",
    asked: { n: 2 },
    answer: { id: "1", data: { image_urls: list(2, url) }, base_resp: { status_code: 0, status_msg: "success" } },
    pictures: 2,
  },
  "base64 of MiniMax's": {
    type: openai,
    model: "image-01-live",
    asked: { n: 2 },
    answer: { data: { image_base64: [bytes, bytes] }, base_resp: { status_code: 0, status_msg: "success" } },
    pictures: 2,
  },
  // developers.openai.com/api/reference/resources/images/generation-streaming-events
  "OpenAI's, with sketches": {
    type: openai,
    model: "sketched",
    asked: { stream: true, partial_images: 2 },
    answer: [
      ...list(2, (at) => ({ type: "image_generation.partial_image", partial_image_index: at, b64_json: bytes })),
      { type: "image_generation.completed", b64_json: bytes },
    ],
    pictures: 1,
  },
  "OpenAI's edits": {
    type: openai,
    model: "edited",
    path: "/v1/images/edits",
    asked: { stream: true, n: 2, images: [url(9)] },
    answer: list(2, () => ({ type: "image_edit.completed", b64_json: bytes })),
    pictures: 2,
  },
  "a whole list in one event": {
    type: openai,
    model: "listed",
    asked: { stream: true, n: 2 },
    answer: [{ type: "image_generation.completed", data: list(2, (at) => ({ url: url(at) })) }],
    pictures: 2,
  },
  // docs.x.ai/developers/rest-api-reference/inference/images
  "xAI's": {
    type: xai,
    model: "grok-imagine-image",
    asked: { n: 2 },
    answer: { data: list(2, (at) => ({ url: url(at) })), usage: { cost_in_usd_ticks: 400_000_000 } },
    pictures: 2,
  },
  // docs.z.ai/api-reference/image/generate-image
  "Zhipu's": {
    type: zhipu,
    model: "cogview-4",
    answer: { created: 1, data: [{ url: url(0) }], content_filter: [{ role: "assistant", level: 3 }] },
    pictures: 1,
  },
  // docs.siliconflow.com/en/api-reference/images/images-generations
  "SiliconFlow's": {
    type: siliconflow,
    model: "Kwai-Kolors/Kolors",
    asked: { n: 2 },
    answer: { images: list(2, (at) => ({ url: url(at) })), data: list(2, (at) => ({ url: url(at) })), seed: 1 },
    pictures: 2,
  },
  "SiliconFlow's, passed on by another gateway": {
    type: openai,
    model: "passed-on",
    asked: { n: 2 },
    answer: { images: list(2, (at) => ({ url: url(at) })), seed: 1 },
    pictures: 2,
  },
  // help.aliyun.com/zh/model-studio/text-to-image-v2-api-reference
  "DashScope's": {
    type: dashscope,
    model: "wanx-v1",
    asked: { n: 2 },
    answer: { output: { task_id: "1", task_status: "SUCCEEDED", results: list(2, (at) => ({ url: url(at) })) } },
    pictures: 2,
  },
  // ai.google.dev/gemini-api/docs/image-generation
  "Gemini's": {
    type: gemini,
    model: "gemini-that-draws",
    answer: {
      candidates: [{ content: { parts: [{ inlineData: { mimeType: "image/png", data: bytes } }] } }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1_290 },
    },
    pictures: 1,
  },
  // ai.google.dev/gemini-api/docs/imagen
  "Imagen's": {
    type: gemini,
    model: "imagen-4.0-generate-001",
    asked: { n: 2 },
    answer: { predictions: list(2, () => ({ bytesBase64Encoded: bytes, mimeType: "image/png" })) },
    pictures: 2,
  },
  "eight pictures where one was asked for": {
    type: openai,
    model: "eight-for-one",
    answer: { data: list(8, (at) => ({ url: url(at) })) },
    pictures: 1,
  },
  "eight events where two were asked for": {
    type: ark,
    model: "seedream-eight",
    asked: { stream: true, n: 2 },
    answer: [...list(8, arkEvent), arkEnd(8)],
    pictures: 2,
  },
  "eight of Imagen's where two were asked for": {
    type: gemini,
    model: "imagen-4.0-fast-generate-001",
    asked: { n: 2 },
    answer: { predictions: list(8, () => ({ bytesBase64Encoded: bytes, mimeType: "image/png" })) },
    pictures: 2,
  },
};
const forms = Object.entries(FORMS);

/** By tokens: what the maker counts, and what is charged of it at two quota a token of the answer. */
const TOKENS = {
  "a series of three, streamed": {
    asked: { stream: true, ...series },
    answer: [...list(3, arkEvent), arkEnd(3)],
    tokens: 48_672,
  },
  "a series of three, whole": {
    asked: series,
    answer: { data: list(3, (at) => ({ url: url(at) })), usage: arkUsage(3) },
    tokens: 48_672,
  },
  "one of 4096 × 4096": {
    asked: { size: "4096x4096" },
    answer: { data: [{ url: url(0) }], usage: { generated_images: 1, output_tokens: 65_536, total_tokens: 65_536 } },
    tokens: 65_536,
  },
  "four of 4K": {
    asked: { stream: true, size: "4K", ...series },
    answer: [
      ...list(4, arkEvent),
      { type: "image_generation.completed", usage: { generated_images: 4, output_tokens: 261_440 } },
    ],
    tokens: 261_440,
  },
} as const;
const byTokens = Object.entries(TOKENS).flatMap(([name, row], at) =>
  ["doubao-seedream-t", "ep-t"].map((maker) => [`${name}, of ${maker}`, `${maker}${at}`, row] as const),
);

const answers = new Map<string, Form["answer"]>([
  ...forms.map(([, { model, answer }]) => [model, answer] as const),
  ...byTokens.map(([, model, { answer }]) => [model, answer] as const),
  ["seedream-none", [arkFailure(0), arkFailure(1), arkEnd(0)]],
  [
    "seedream-broken",
    [...list(3, arkEvent), { type: "error", error: { message: "lost" }, usage: { generated_images: 3 } }],
  ],
]);

/** The model that DashScope is asked about next. */
let drawing = "";
/** Opens when the caller has seen the first pictures. */
const seen = new EventEmitter();

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  const [, ofPath] = /\/models\/([^:]+):/.exec(request.url ?? "") ?? [];
  const model = ofPath ?? (text === "" ? drawing : (JSON.parse(text) as { model: string }).model);
  drawing = model;
  const answer = answers.get(decodeURIComponent(model)) ?? {};
  const isStream = Array.isArray(answer);
  response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  if (!isStream) return void response.end(JSON.stringify(answer));
  const events = (answer as { type: string }[]).map(
    (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  const last = events.pop() ?? "";
  response.write(events.join(""));
  if (model === "seedream-broken") await once(seen, "picture");
  response.end(`${last}data: [DONE]\n\n`);
});

const relay = setUpRelay({
  prices: byTokens.map(([, model]) => model).join(","),
  options: {
    RetryTimes: 0,
    ModelMeterPrices: Object.fromEntries(
      [...answers.keys()].filter((model) => !/-t\d$/.test(model)).map((model) => [model, { picture: USD }]),
    ),
  },
  channels: [],
});
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const type of new Set(forms.map(([, form]) => form.type))) {
    const models = forms.flatMap(([, form]) => (form.type === type ? [form.model] : []));
    const more = type === ark ? [...byTokens.map(([, model]) => model), "seedream-none", "seedream-broken"] : [];
    await relay.addChannel({ type, baseUrl, models: [...models, ...more].join(",") });
  }
  await relay.inForce();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function ask(model: string, asked: Record<string, unknown> = {}, path = "/v1/images/generations") {
  const { user, token } = await relay.addCaller({ balance: 100_000_000 });
  const response = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model, prompt: "a weir", ...asked }),
  });
  let text = "";
  for await (const piece of response.body ?? []) {
    text += Buffer.from(piece as Uint8Array).toString("utf8");
    if (model === "seedream-broken") seen.emit("picture");
  }
  await until(async () => (await relay.logsOf(user)).length > 0, 10_000);
  return { status: response.status, text, row: (await relay.logsOf(user))[0] };
}

describe("each picture is charged once, in every form that a maker has (B54)", () => {
  test.each(forms)("%s", async (_, { model, asked, path, pictures }) => {
    const { status, text, row } = await ask(model, asked, path);
    expect(status, text.slice(0, 300)).toBe(200);
    expect(text).not.toContain("stream_response_error");
    expect(row).toMatchObject({ type: 2, quota: pictures * EACH });
  });
});

describe("a maker's tokens are believed up to what its pictures can have", () => {
  test.each(byTokens)("%s", async (_, model, { asked, tokens }) => {
    const { row } = await ask(model, asked);
    expect(row).toMatchObject({ type: 2, completion: tokens, quota: 2 * tokens });
    expect(row?.other.usage_rejected).toBeUndefined();
  });
});

describe("a series that fails", () => {
  test("whole is refused, and costs nothing", async () => {
    const { status, text, row } = await ask("seedream-none", { stream: true, ...series });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toContain("error");
    expect(row).toMatchObject({ type: 5, quota: 0 });
  });

  test("after some pictures is charged for these", async () => {
    const { text, row } = await ask("seedream-broken", { stream: true, ...series });
    expect(text).toContain('"message":"lost');
    expect(row).toMatchObject({ type: 2, quota: 3 * EACH, other: { outcome: "cut" } });
  });
});

test("what was drawn beyond what was asked for is in the log, as the maker bills it", async () => {
  const { row } = await ask("eight-for-one");
  expect(row?.other.usage_rejected).toMatchObject({ meters: [{ meter: "picture", quantity: 8 }] });
});
