import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { until } from "../harness";
import { fileOf, form, setUpMedia, wave } from "../media-harness";

const { relay, ask, rowOf } = setUpMedia(["unused"], {
  ModelMeterPrices: {
    "imagen-4.0-generate-001": { picture: 0.04 },
    "wanx-v1": { picture: 0.02 },
    "wanx-failed": { picture: 0.02 },
    "wanx-429": { picture: 0.02 },
    "wanx-slow": { picture: 0.02 },
    "Kwai-Kolors/Kolors": { picture: 0.01 },
    "grok-2-image": { picture: 0.07 },
    "@cf/openai/whisper": { second: 0.0001 },
  },
});

type Asked = { method: string; path: string; type: string; body: Buffer; isAsync: boolean };
const asked: Asked[] = [];
let polls = 0;
const json = (at: number): Record<string, unknown> => JSON.parse(`${asked.at(at)?.body}`) as Record<string, unknown>;

function answerTo({ method, path, type, body, isAsync }: Asked): [status: number, answer: unknown] {
  const text = body.toString("utf8");
  if (path.endsWith(":predict")) {
    const { instances, parameters } = JSON.parse(text) as { instances: unknown[]; parameters: { sampleCount: number } };
    if (instances.length !== 1) return [400, { error: { message: "instances" } }];
    const one = { bytesBase64Encoded: "d2hvbGU=", mimeType: "image/png" };
    return [200, { predictions: Array.from({ length: parameters.sampleCount }, () => one) }];
  }
  if (path.endsWith(":generateContent")) {
    const parts = [{ text: "Here it is" }, { inlineData: { mimeType: "image/png", data: "d2hvbGU=" } }];
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 1_290 };
    return [200, { candidates: [{ content: { parts }, finishReason: "STOP" }], usageMetadata }];
  }
  if (path.endsWith("/image-synthesis")) {
    if (!isAsync)
      return [403, { code: "AccessDenied", message: "current user api does not support synchronous calls" }];
    if (text.includes("wanx-429")) return [429, { code: "Throttling", message: "too many requests" }];
    polls = 0;
    const task_id = text.includes("wanx-failed") ? "failed" : text.includes("wanx-slow") ? "slow" : "t 1";
    return [200, { output: { task_id, task_status: "PENDING" } }];
  }
  if (method === "GET" && path === "/api/v1/tasks/failed") {
    return [200, { output: { task_status: "FAILED", code: "DataInspectionFailed", message: "not allowed" } }];
  }
  if (method === "GET" && path === "/api/v1/tasks/slow") return [200, { output: { task_status: "RUNNING" } }];
  if (method === "GET" && path === "/api/v1/tasks/t%201") {
    polls += 1;
    if (polls < 2) return [200, { output: { task_status: "RUNNING" } }];
    return [200, { output: { task_status: "SUCCEEDED", results: [{ url: "https://x.invalid/1.png" }] } }];
  }
  if (path.includes("/ai/run/")) {
    if (type !== "application/octet-stream" || body.subarray(0, 4).toString() !== "RIFF") return [400, {}];
    const vtt = "WEBVTT\n\n00:00.000 --> 00:01.500\nthe quick\n\n00:01.500 --> 00:02.000\nbrown fox\n";
    return [200, { success: true, errors: [], result: { text: "the quick brown fox", vtt } }];
  }
  if (path === "/v1/images/generations")
    return [200, { images: [{ url: "https://x.invalid/1.png" }], data: [{ url: "https://x.invalid/1.png" }] }];
  return [404, { error: { message: `no ${path}` } }];
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const one: Asked = {
    method: request.method ?? "",
    path: request.url ?? "",
    type: request.headers["content-type"] ?? "",
    body: Buffer.concat(parts),
    isAsync: request.headers["x-dashscope-async"] === "enable",
  };
  asked.push(one);
  const [status, answer] = answerTo(one);
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(answer));
});

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await relay.addChannel({
    type: CHANNEL_TYPE.gemini,
    baseUrl,
    models: "imagen-4.0-generate-001,gemini-2.5-flash-image",
  });
  await relay.addChannel({ type: CHANNEL_TYPE.dashscope, baseUrl, models: "wanx-v1,wanx-failed,wanx-429,wanx-slow" });
  await relay.addChannel({ type: CHANNEL_TYPE.siliconflow, baseUrl, models: "Kwai-Kolors/Kolors" });
  await relay.addChannel({ type: CHANNEL_TYPE.xai, baseUrl, models: "grok-2-image" });
  await relay.addChannel({ type: CHANNEL_TYPE.cloudflare, baseUrl, models: "@cf/openai/whisper", other: "acc" });
  await relay.inForce();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const draw = async (model: string, more: Record<string, unknown> = {}) => {
  const { user, status, text } = await ask("/v1/images/generations", { model, prompt: "a weir", ...more });
  const { data, error } = JSON.parse(text) as { data: unknown; error: unknown };
  return { user, status, data, error };
};

test("Imagen draws, in the ratio nearest to the size (contract §6.5)", async () => {
  const { user, data } = await draw("imagen-4.0-generate-001", { n: 2, size: "1792x1024" });
  expect(data).toEqual([{ b64_json: "d2hvbGU=" }, { b64_json: "d2hvbGU=" }]);
  expect(json(-1)).toEqual({
    instances: [{ prompt: "a weir" }],
    parameters: { sampleCount: 2, aspectRatio: "16:9", personGeneration: "allow_adult" },
  });
  expect(await rowOf(user)).toMatchObject({ quota: 40_000 });
  expect((await draw("imagen-4.0-generate-001", { stream: true })).error).toMatchObject({ param: "stream" });
});

test("Gemini draws, and changes a picture that is sent as it is read", async () => {
  const drawn = await draw("gemini-2.5-flash-image", { response_format: "url" });
  expect(drawn.data).toEqual([{ url: "data:image/png;base64,d2hvbGU=" }]);
  const picture = Buffer.from(Array.from({ length: 200_001 }, (_, at) => at % 251));
  const body = form({
    image: fileOf(picture, "a.png", "image/png"),
    prompt: 'more "water"',
    model: "gemini-2.5-flash-image",
  });
  const { user, status } = await ask("/v1/images/edits", body);
  expect(status).toBe(200);
  expect(json(-1)).toMatchObject({
    contents: [
      {
        role: "user",
        parts: [{ inlineData: { mimeType: "image/png", data: picture.toString("base64") } }, { text: 'more "water"' }],
      },
    ],
  });
  expect(await rowOf(user)).toMatchObject({ prompt: 9, completion: 1_290, quota: 19_500 });
});

test("DashScope draws while it is asked for the result (contract §6.8)", async () => {
  const { user, data } = await draw("wanx-v1", { size: "1024x1792" });
  expect(data).toEqual([{ url: "https://x.invalid/1.png" }]);
  const [first] = asked.filter(({ path }) => path.endsWith("/image-synthesis"));
  expect(JSON.parse(`${first?.body}`)).toEqual({
    model: "wanx-v1",
    input: { prompt: "a weir" },
    parameters: { size: "1024*1792", n: 1 },
  });
  expect(await rowOf(user)).toMatchObject({ type: 2, quota: 10_000 });
});

test.each(["wanx-failed", "wanx-429"])("%s costs nothing", async (model) => {
  const { user, status, error } = await draw(model);
  expect([status >= 400, error]).toMatchObject([true, { message: expect.any(String) }]);
  expect(await rowOf(user)).toMatchObject({ type: 5, quota: 0 });
});

test("SiliconFlow and xAI have other fields (contract §6.2)", async () => {
  expect((await draw("Kwai-Kolors/Kolors", { size: "1024x1024" })).data).toEqual([{ url: "https://x.invalid/1.png" }]);
  expect(json(-1)).toEqual({ model: "Kwai-Kolors/Kolors", prompt: "a weir", image_size: "1024x1024" });
  expect((await draw("Kwai-Kolors/Kolors", { response_format: "b64_json" })).error).toMatchObject({
    param: "response_format",
  });
  expect((await draw("grok-2-image", { size: "1024x1024", quality: "hd" })).status).toBe(200);
  expect(json(-1)).toEqual({ model: "grok-2-image", prompt: "a weir" });
});

test("Cloudflare hears the sound itself (contract §6.15)", async () => {
  const hear = (response_format: string) =>
    ask("/v1/audio/transcriptions", form({ file: fileOf(wave(2)), model: "@cf/openai/whisper", response_format }));
  const whole = await hear("json");
  expect(JSON.parse(whole.text)).toEqual({ text: "the quick brown fox" });
  expect(asked.at(-1)?.path).toBe("/client/v4/accounts/acc/ai/run/@cf/openai/whisper");
  expect(await rowOf(whole.user)).toMatchObject({ quota: 100 });
  expect((await hear("text")).text).toBe("the quick brown fox\n");
  expect((await hear("srt")).text).toBe(
    "1\n00:00:00,000 --> 00:00:01,500\nthe quick\n\n2\n00:00:01,500 --> 00:00:02,000\nbrown fox\n",
  );
});

test("who leaves while an upstream draws that is asked for the result later is charged for the pictures", async () => {
  const { user, token } = await relay.addCaller();
  const leaving = new AbortController();
  const asking = fetch(`${relay.url}/v1/images/generations`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "wanx-slow", prompt: "a weir", n: 2 }),
    signal: leaving.signal,
  }).catch(() => null);
  await until(() => asked.some(({ path }) => path === "/api/v1/tasks/slow"));
  leaving.abort();
  await asking;
  expect(await rowOf(user)).toMatchObject({ quota: 20_000, other: { outcome: "gone" } });
  const costs = await relay.database.sql`select cost, unknown_costs as unknown from usage_logs where user_id = ${user}`;
  expect(costs).toEqual([{ cost: null, unknown: 1 }]);
});
