// Videos with the clients that their makers publish, and in the shapes of those that have none.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GoogleGenAI } from "@google/genai";
import { expect, test } from "vitest";
import { quotaFor, setUpVideos } from "../videos-harness";

const { relay, ask, content, rowsOf, poll } = setUpVideos();
const PNG = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(100, 7)]);

test.each(["veo-t", "veo-vertex", "seedance-t"])(
  "Google's client makes a video, waits for it and downloads it (%s)",
  async (model) => {
    const { user, token } = await relay.addCaller();
    const ai = new GoogleGenAI({ apiKey: token.key, httpOptions: { baseUrl: relay.url } });
    relay.makers.fate = { polls: 1, end: "done" };
    let operation = await ai.models.generateVideos({
      model,
      prompt: "a weir at dawn",
      image: { imageBytes: PNG.toString("base64"), mimeType: "image/png" },
      config: { aspectRatio: "16:9", durationSeconds: 8, resolution: "720p" },
    });
    expect(operation.name).toMatch(new RegExp(`^models/${model}/operations/\\w{32}$`));
    await poll();
    operation = await ai.operations.getVideosOperation({ operation });
    expect(operation.done).toBeFalsy();
    await poll();
    operation = await ai.operations.getVideosOperation({ operation });
    expect(operation.done).toBe(true);
    const [made] = operation.response?.generatedVideos ?? [];
    const uri = made?.video?.uri ?? "";
    if (model !== "seedance-t") {
      const folder = await mkdtemp(join(tmpdir(), "weir-video-"));
      const downloadPath = join(folder, "video.mp4");
      // The client takes the name of a file out of addresses that are https.
      await ai.files.download({ file: uri.replace("http:", "https:"), downloadPath });
      expect((await readFile(downloadPath)).equals(relay.makers.video)).toBe(true);
      await rm(folder, { recursive: true });
    } else expect(uri).toMatch(/\/cdn\/.*\.mp4$/);
    expect(await rowsOf(user)).toMatchObject([{ action: "image2video", quota: quotaFor(8), status: "SUCCESS" }]);
  },
);

test("Google's client sees why there is no video", async () => {
  const { user, token } = await relay.addCaller();
  const ai = new GoogleGenAI({ apiKey: token.key, httpOptions: { baseUrl: relay.url } });
  relay.makers.fate = { polls: 0, end: "withheld" };
  let operation = await ai.models.generateVideos({
    model: "veo-t",
    source: { prompt: "x" },
    config: { durationSeconds: 8 },
  });
  await poll();
  operation = await ai.operations.getVideosOperation({ operation });
  expect(operation).toMatchObject({ done: true, error: { message: "risk control" } });
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
});

test.each(["sora-t", "kling-t", "veo-t"])(
  "OpenAI's client makes a video, lists it and downloads it (%s)",
  async (model) => {
    const { user, token } = await relay.addCaller();
    const { videos } = relay.clientFor(token.key);
    relay.makers.fate = { polls: 1, end: "done" };
    const input_reference = new File([PNG], "weir.png", { type: "image/png" });
    const size = "1280x720";
    const made = await videos.create({ model, prompt: "a weir at dawn", seconds: "8", size, input_reference });
    expect(made).toMatchObject({ object: "video", status: "queued", seconds: "8", size, model });
    const sent = relay.makers.seen.at(-1)?.body as Record<string, unknown>;
    if (model === "sora-t") {
      const { input_reference: file, ...rest } = sent;
      expect(rest).toEqual({ model, prompt: "a weir at dawn", seconds: "8", size });
      expect(Buffer.from(await (file as File).arrayBuffer()).equals(PNG)).toBe(true);
    } else expect(JSON.stringify(sent)).toContain(PNG.toString("base64"));
    await poll();
    expect((await videos.retrieve(made.id)).status).toBe("in_progress");
    await poll();
    expect(await videos.retrieve(made.id)).toMatchObject({
      id: made.id,
      status: "completed",
      progress: 100,
      error: null,
    });
    const file = await videos.downloadContent(made.id, { variant: "video" });
    expect(Buffer.from(await file.arrayBuffer()).equals(relay.makers.video)).toBe(true);
    const listed: string[] = [];
    for await (const { id } of videos.list({ limit: 1 })) listed.push(id);
    expect(listed).toEqual([made.id]);
    expect(await rowsOf(user)).toMatchObject([{ quota: quotaFor(8), action: "image2video" }]);
  },
);

test("OpenAI's client sees what is wrong with a request", async () => {
  const { user, token } = await relay.addCaller();
  const { videos } = relay.clientFor(token.key);
  const create = (more: object) => videos.create({ model: "sora-t", prompt: "x", ...more });
  await expect(create({ size: "big" })).rejects.toMatchObject({ status: 400, param: "size" });
  const text = new File(["hello"], "x.txt", { type: "text/plain" });
  await expect(create({ input_reference: text })).rejects.toMatchObject({ status: 400, param: "input_reference" });
  const large = new File([Buffer.alloc(21 * 1_048_576)], "x.png", { type: "image/png" });
  await expect(create({ input_reference: large })).rejects.toMatchObject({ status: 400 });
  await expect(videos.retrieve("video_none")).rejects.toMatchObject({ status: 404, code: "video_not_found" });
  await expect(videos.downloadContent("video_none")).rejects.toMatchObject({ status: 404 });
  const form = new FormData();
  form.set("model", "kling-t");
  const headers = { authorization: `Bearer ${token.key}` };
  const kling = await fetch(`${relay.url}/kling/v1/videos/text2video`, { method: "POST", headers, body: form });
  expect([kling.status, await kling.json()]).toMatchObject([400, { message: expect.stringContaining("JSON") }]);
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
});

test.each(["kling-t", "sora-t"])("Kling's shape: text and picture to video (%s)", async (model) => {
  const { token } = await relay.addCaller();
  for (const [action, more] of [
    ["text2video", { aspect_ratio: "16:9" }],
    ["image2video", { image: PNG.toString("base64") }],
  ] as const) {
    const asked = { model_name: model, prompt: "a weir", duration: "5", ...more };
    const { status, json } = await ask(token.key, `/kling/v1/videos/${action}`, asked);
    expect([status, json]).toMatchObject([200, { code: 0, data: { task_status: "submitted" } }]);
    const { task_id: id } = json.data as { task_id: string };
    await poll();
    const shown = (await ask(token.key, `/kling/v1/videos/${action}/${id}`)).json;
    expect(shown).toMatchObject({ code: 0, data: { task_id: id, task_status: "succeed" } });
    const { videos } = (shown.data as { task_result: { videos: { url: string; duration: string }[] } }).task_result;
    expect(videos).toMatchObject([{ duration: "5" }]);
    expect((await content(token.key, `/v1/videos/${id}/content`)).body.equals(relay.makers.video)).toBe(true);
  }
});

test("Kling's shape: errors have a code and a message, as its clients read them", async () => {
  const { token } = await relay.addCaller();
  const { status, json } = await ask(token.key, "/kling/v1/videos/text2video", { model_name: "kling-t" });
  expect([status, json]).toMatchObject([400, { code: 1201, message: expect.stringContaining("prompt") }]);
  expect((await ask("sk-nobody", "/kling/v1/videos/text2video", {})).json).toMatchObject({ code: 1000 });
  expect((await ask(token.key, "/kling/v1/videos/text2video/none")).json).toMatchObject({ code: 1203 });
});

test("Ark's shape", async () => {
  const { user, token } = await relay.addCaller();
  const PATH = "/api/v3/contents/generations/tasks";
  const body = {
    model: "seedance-t",
    content: [
      { type: "text", text: "a weir --rs 1080p" },
      { type: "image_url", image_url: { url: `data:image/png;base64,${PNG.toString("base64")}` }, role: "first_frame" },
    ],
    duration: 5,
    camera_fixed: true,
  };
  relay.makers.fate = { polls: 0, end: "done", resolution: "1080p" };
  const { status, json } = await ask(token.key, PATH, body);
  expect(status).toBe(200);
  expect(Object.keys(json)).toEqual(["id"]);
  expect(relay.makers.seen.at(-1)?.body).toEqual(body);
  await poll();
  const shown = (await ask(token.key, `${PATH}/${json.id}`)).json;
  expect(shown).toMatchObject({
    id: json.id,
    status: "succeeded",
    content: { video_url: expect.stringContaining("/cdn/") },
    resolution: "1080p",
    usage: { completion_tokens: 108_900 },
  });
  expect(await rowsOf(user)).toMatchObject([{ quota: quotaFor(5) * 4 }]);
});
