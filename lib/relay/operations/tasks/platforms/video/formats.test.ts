import { describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { arkBody, klingImageBody, klingTextBody, openaiVideoBody, veoBody } from "@/lib/testing/fake-video-schemas";
import type { Task } from "../../../../answers/task";
import type { Json } from "../../../../wire/canonical/json";
import type { Submission, TaskUpstream, TaskWire } from "../../platform";
import { arkUpstream } from "./ark-upstream";
import { arkVideos } from "./ark-wire";
import { commonVideos } from "./common-wire";
import { klingUpstream } from "./kling-upstream";
import { klingVideos } from "./kling-wire";
import { openaiUpstream } from "./openai-upstream";
import { openaiVideos } from "./openai-wire";
import { veoUpstream, vertexUpstream } from "./veo-upstream";
import { veoVideos } from "./veo-wire";
import type { VideoRequest } from "./video-request";

const PNG = `iVBORw0KGgo${"A".repeat(80)}`;
const PICTURE = "https://pictures.example/cat.png";
const options = defaultOptions();

function read(wire: TaskWire<VideoRequest>, json: Json, path = ""): Submission<VideoRequest> {
  return wire.read(json, { path, query: "" });
}

function sent(upstream: TaskUpstream<VideoRequest>, { request }: Submission<VideoRequest>, model = "m-up"): Json {
  const { body }: { body: unknown } = upstream.encode(request, { model, original: null, options });
  return Buffer.isBuffer(body) ? {} : (body as Json);
}

const common = (more: Json = {}) =>
  read(commonVideos, { model: "m", prompt: "a cat", duration: 8, size: "1280x720", ...more });

function task(more: Partial<Task> = {}): Task {
  return {
    taskId: "task1",
    platform: "sora",
    wire: "video",
    action: "text2video",
    userId: 1,
    channelId: 1,
    keyHash: "",
    upstreamId: "up1",
    modelName: "m",
    quota: 1,
    code: 1,
    prompt: "a cat",
    promptEn: "",
    description: "",
    state: "",
    status: "IN_PROGRESS",
    progress: "40%",
    failReason: "",
    submitTime: 1_700_000_000_000,
    startTime: 0,
    finishTime: 0,
    results: [],
    properties: common().properties,
    data: null,
    ...more,
  };
}

describe("the common shape reaches every maker in its own format", () => {
  test("OpenAI's", () => {
    const body = sent(openaiUpstream, common({ image: PICTURE }));
    expect(openaiVideoBody.parse(body)).toEqual({
      model: "m-up",
      prompt: "a cat",
      seconds: "8",
      size: "1280x720",
      input_reference: { image_url: PICTURE },
    });
  });

  test("Kling's: a resolution is a mode, a picture another path", () => {
    const text = common({ size: "1920x1080", metadata: { cfg_scale: 0.5, sound: true } });
    expect(klingTextBody.parse(sent(klingUpstream, text))).toEqual({
      model_name: "m-up",
      prompt: "a cat",
      mode: "pro",
      duration: "8",
      sound: "on",
      aspect_ratio: "16:9",
      cfg_scale: 0.5,
    });
    const picture = common({ image: `data:image/png;base64,${PNG}` });
    expect(klingImageBody.parse(sent(klingUpstream, picture))).toMatchObject({ image: PNG });
    const target = { model: "m", original: null, options };
    expect(klingUpstream.encode(picture.request, target).path).toBe("/v1/videos/image2video");
  });

  test("Google's", () => {
    const asked = common({ image: PNG, seed: 7, n: 2, metadata: { negativePrompt: "dogs", resolution: "1080P" } });
    expect(veoBody.parse(sent(veoUpstream, asked))).toEqual({
      instances: [{ prompt: "a cat", image: { bytesBase64Encoded: PNG, mimeType: "image/png" } }],
      parameters: {
        durationSeconds: 8,
        resolution: "1080p",
        aspectRatio: "16:9",
        negativePrompt: "dogs",
        seed: 7,
        sampleCount: 2,
      },
    });
    expect(asked.meters).toEqual([{ meter: "second", quantity: 16, variant: "1080p" }]);
  });

  test("Ark's", () => {
    const asked = common({ images: [PICTURE], metadata: { generate_audio: false, watermark: true } });
    expect(arkBody.parse(sent(arkUpstream, asked))).toEqual({
      model: "m-up",
      content: [
        { type: "text", text: "a cat" },
        { type: "image_url", image_url: { url: PICTURE }, role: "first_frame" },
      ],
      duration: 8,
      resolution: "720p",
      ratio: "16:9",
      generate_audio: false,
      watermark: true,
    });
    expect(asked.meters).toEqual([{ meter: "second", quantity: 8, variant: "720p:silent" }]);
  });

  test("what a maker has no word for is refused and not left out", () => {
    expect(() => sent(openaiUpstream, common({ seed: 7 }))).toThrow("no seed");
    expect(() => sent(openaiUpstream, common({ n: 2 }))).toThrow("no n ");
    expect(() => sent(klingUpstream, common({ images: [PICTURE, PICTURE] }))).toThrow("no images");
    expect(() => sent(arkUpstream, common({ mode: "pro" }))).toThrow("no mode");
    expect(() => sent(veoUpstream, common({ image: PICTURE }))).toThrow("base64");
    expect(() => sent(veoUpstream, common({ fps: 60 }))).toThrow("no fps");
  });
});

describe("callers of a maker's own format", () => {
  test("fields that the gateway does not know reach upstreams of the same format only", () => {
    const kling = read(
      klingVideos,
      { model_name: "kling-v3", prompt: "x", shot_type: "customize", duration: "10", mode: "pro", sound: "on" },
      "/kling/v1/videos/text2video",
    );
    expect(sent(klingUpstream, kling)).toEqual({
      model_name: "m-up",
      prompt: "x",
      shot_type: "customize",
      duration: "10",
      mode: "pro",
      sound: "on",
    });
    expect(kling.meters).toEqual([{ meter: "second", quantity: 10, variant: "pro:sound" }]);
    expect(() => sent(arkUpstream, kling)).toThrow("shot_type");
  });

  test("the seconds that are charged are those that are asked for, also where the caller names none", () => {
    const sora = read(openaiVideos, { prompt: "x" });
    expect(sora).toMatchObject({ model: "sora-2", meters: [{ quantity: 4 }] });
    expect(sent(openaiUpstream, sora)).toMatchObject({ seconds: "4" });
    const veo = read(
      veoVideos,
      { instances: [{ prompt: "x" }] },
      "/v1beta/models/veo-3.1-generate-001:predictLongRunning",
    );
    expect(veo.meters).toEqual([{ meter: "second", quantity: 8 }]);
    expect(veoBody.parse(sent(veoUpstream, veo)).parameters.durationSeconds).toBe(8);
    const ark = read(arkVideos, { model: "seedance", content: [{ type: "text", text: "x" }] });
    expect(ark.meters).toEqual([{ meter: "second", quantity: 5 }]);
    expect(sent(arkUpstream, ark)).toMatchObject({ duration: 5 });
  });

  test("OpenAI's picture is a URL in an object, however the caller wrote it", () => {
    for (const reference of [PICTURE, { image_url: PICTURE }]) {
      const asked = read(openaiVideos, { prompt: "x", input_reference: reference });
      expect(openaiVideoBody.parse(sent(openaiUpstream, asked)).input_reference).toEqual({ image_url: PICTURE });
    }
  });

  test("Ark's options within the text are read, so that they are charged", () => {
    const text = "a cat --dur 10 --rs 1080p --ratio 9:16";
    const asked = read(arkVideos, { model: "seedance", content: [{ type: "text", text }] });
    expect(asked.meters).toEqual([{ meter: "second", quantity: 10, variant: "1080p" }]);
    expect(sent(arkUpstream, asked)).not.toHaveProperty("duration");
  });

  test("a video from pictures is asked for in Kling's other path", () => {
    const path = "/kling/v1/videos/image2video";
    const asked = read(klingVideos, { image: PNG, image_tail: PICTURE, mode: "pro" }, path);
    expect(asked).toMatchObject({ model: "kling-v1", action: "image2video" });
    expect(klingImageBody.safeParse(sent(klingUpstream, asked)).success).toBe(true);
    expect(() => read(klingVideos, { prompt: "x" }, path)).toThrow("image");
  });

  test("Ark's frames are charged, which go before a duration there", () => {
    const content = [{ type: "text", text: "a cat" }];
    const asked = read(arkVideos, { model: "seedance", content, frames: 289 });
    expect(asked.meters).toEqual([{ meter: "second", quantity: 13 }]);
    expect(sent(arkUpstream, asked)).toEqual({ model: "m-up", content, frames: 289 });
  });

  test("voices that are chosen are charged, whether the sound is named or not", () => {
    const json = { prompt: "x", mode: "Pro", voice_list: [{ voice_id: "v" }] };
    const { meters } = read(klingVideos, json, "/kling/v1/videos/text2video");
    expect(meters).toEqual([{ meter: "second", quantity: 5, variant: "pro:sound:voice" }]);
  });

  test("where a size and a resolution differ, the one that is charged is asked for", () => {
    const asked = common({ size: "3840x2160", metadata: { resolution: "480p" } });
    expect(asked.meters).toEqual([{ meter: "second", quantity: 8, variant: "480p" }]);
    expect(sent(openaiUpstream, asked)).toMatchObject({ size: "854x480" });
  });

  const google = "/v1beta/models/veo:predictLongRunning";
  const spoken = (text: string) => [{ type: "text", text }];
  test.each<[string, TaskWire<VideoRequest>, Json, string]>([
    ["no prompt", openaiVideos, {}, ""],
    ["a prompt of another type", openaiVideos, { prompt: { a: 1 } }, ""],
    ["endless seconds", openaiVideos, { prompt: "x", seconds: "1e9" }, ""],
    ["negative seconds", commonVideos, { model: "m", prompt: "x", duration: -5 }, ""],
    ["a size that is none", openaiVideos, { prompt: "x", size: "big" }, ""],
    ["a picture at a file address", openaiVideos, { prompt: "x", input_reference: "file:///etc/passwd" }, ""],
    ["somebody's file", openaiVideos, { prompt: "x", input_reference: { file_id: "file-1" } }, ""],
    ["a hundred videos", commonVideos, { model: "m", prompt: "x", n: 100 }, ""],
    ["a width without a height", commonVideos, { model: "m", prompt: "x", width: 5 }, ""],
    ["metadata that is a list", commonVideos, { model: "m", prompt: "x", metadata: [] }, ""],
    ["a mode that forges a price key", klingVideos, { prompt: "x", mode: "std pro" }, "/kling/v1/videos/text2video"],
    ["a callback", klingVideos, { prompt: "x", callback_url: "https://x.example" }, "/kling/v1/videos/text2video"],
    ["two instances", veoVideos, { instances: [{ prompt: "x" }, { prompt: "y" }] }, google],
    ["the account's bucket", veoVideos, { instances: [{ prompt: "x" }], parameters: { storageUri: "gs://a" } }, google],
    ["a picture of the account's", veoVideos, { instances: [{ prompt: "x", image: { gcsUri: "gs://a" } }] }, google],
    ["videos as input", arkVideos, { model: "m", content: [{ type: "video_url", video_url: { url: PICTURE } }] }, ""],
    ["frames beside a duration", arkVideos, { model: "m", content: spoken("x"), duration: 2, frames: 289 }, ""],
    ["frames as a text", arkVideos, { model: "m", content: spoken("x"), frames: "289" }, ""],
    ["frames within the text", arkVideos, { model: "m", content: spoken("x --frames 289"), duration: 2 }, ""],
    ["another length within the text", arkVideos, { model: "m", content: spoken("x --dur 12"), duration: 2 }, ""],
    ["two lengths within the text", arkVideos, { model: "m", content: spoken("x --dur 2 --duration 12") }, ""],
    ["another size in the text", arkVideos, { model: "m", content: spoken("x --rs 1080p"), resolution: "480P" }, ""],
    ["many videos at a maker that has them", openaiVideos, { prompt: "x", n: 4 }, ""],
    ["a length by another name", openaiVideos, { prompt: "x", seconds: "4", metadata: { Duration: 60 } }, ""],
    ["a resolution by another name", openaiVideos, { prompt: "x", size: "1280x720", resolution: "4k" }, ""],
    ["another model", openaiVideos, { model: "sora-2", prompt: "x", Model: "sora-2-pro" }, ""],
    ["many of Kling's", klingVideos, { prompt: "x", n: 9 }, "/kling/v1/videos/text2video"],
    ["many by another name", veoVideos, { instances: [{ prompt: "x" }], parameters: { numberOfVideos: 4 } }, google],
    ["many by a third", veoVideos, { instances: [{ prompt: "x" }], parameters: { sample_count: 4 } }, google],
    ["no content", arkVideos, { model: "m", content: [] }, ""],
  ])("are refused: %s", (_what, wire, json, path) => {
    expect(() => read(wire, json, path)).toThrow(expect.objectContaining({ name: "InvalidRequest" }));
  });
});

describe("states of makers", () => {
  const asked = (model: string) => task({ properties: common({ model }).properties });
  const poll = (upstream: TaskUpstream<VideoRequest>, json: Json, one = asked("m")) =>
    upstream.readPoll(json, [one])?.get(one.upstreamId);

  test("OpenAI's: the seconds that were made are charged, at the size that was made", () => {
    const done = { id: "up1", status: "completed", progress: 100, seconds: "4", size: "1024x1792" };
    expect(poll(openaiUpstream, done)).toMatchObject({
      status: "SUCCESS",
      usage: [{ meter: "second", quantity: 4, variant: "1024p" }],
    });
    expect(poll(openaiUpstream, { id: "up1", status: "in_progress", progress: 37 })).toMatchObject({ progress: "37%" });
    const failed = { id: "up1", status: "failed", error: { code: "x", message: "not allowed" } };
    expect(poll(openaiUpstream, failed)).toMatchObject({ status: "FAILURE", failReason: "not allowed" });
  });

  test("Kling's: charged as asked for, whatever the file's length is", () => {
    const videos = [{ id: "v", url: "https://cdn.example/v.mp4", duration: "8.1" }];
    const data = { task_id: "up1", task_status: "succeed", task_result: { videos } };
    expect(poll(klingUpstream, { code: 0, data })).toMatchObject({
      status: "SUCCESS",
      results: ["https://cdn.example/v.mp4"],
      usage: null,
    });
    const failed = { task_id: "up1", task_status: "failed", task_status_msg: "risk control" };
    expect(poll(klingUpstream, { code: 0, data: failed })).toMatchObject({ failReason: "risk control" });
  });

  test("Google's: videos that were withheld are not charged, and none at all is a failure", () => {
    const name = "models/veo/operations/abc";
    const one = { ...asked("veo"), upstreamId: name };
    const uri = "https://generativelanguage.example/v1beta/files/f1:download?alt=media";
    const answer = (response: Json) => ({ name, done: true, response: { generateVideoResponse: response } });
    const whole = answer({ generatedSamples: [{ video: { uri } }] });
    expect(poll(veoUpstream, whole, one)).toMatchObject({ status: "SUCCESS", usage: null, data: { uris: [uri] } });
    const half = answer({ generatedSamples: [{ video: { uri } }], raiMediaFilteredCount: 1 });
    expect(poll(veoUpstream, half, one)).toMatchObject({ usage: [{ meter: "second", quantity: 4, variant: "720p" }] });
    const none = answer({ raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["a celebrity"] });
    expect(poll(veoUpstream, none, one)).toMatchObject({ status: "FAILURE", failReason: "a celebrity" });
    expect(poll(veoUpstream, { name, done: true, error: { code: 3, message: "bad" } }, one)).toMatchObject({
      failReason: "bad",
    });
    expect(poll(veoUpstream, { name }, one)).toMatchObject({ status: "IN_PROGRESS" });
  });

  test("Vertex AI's: its long answer is not kept", () => {
    const name = "projects/p/locations/us-central1/publishers/google/models/veo/operations/1-2";
    const one = { ...asked("veo"), upstreamId: name };
    const videos = [{ bytesBase64Encoded: "AAAA", mimeType: "video/mp4" }];
    const state = poll(vertexUpstream, { name, done: true, response: { videos } }, one);
    expect(state).toMatchObject({ status: "SUCCESS", data: { uris: [""] } });
    expect(JSON.stringify(state)).not.toContain("AAAA");
    expect(vertexUpstream.poll([one])).toMatchObject({ method: "POST", body: { operationName: name } });
  });

  test("Ark's: what it reports of length and resolution is charged", () => {
    const done = { id: "up1", status: "succeeded", content: { video_url: "https://cdn.example/v.mp4" } };
    expect(poll(arkUpstream, { ...done, duration: 5, resolution: "1080p" })).toMatchObject({
      usage: [{ meter: "second", quantity: 5, variant: "1080p" }],
    });
    expect(poll(arkUpstream, { ...done, frames: 120, framespersecond: 24 })).toMatchObject({
      usage: [{ meter: "second", quantity: 5, variant: "720p" }],
    });
    expect(poll(arkUpstream, done)).toMatchObject({ status: "SUCCESS", usage: null });
    expect(poll(arkUpstream, { id: "up1", status: "expired" })).toMatchObject({ status: "FAILURE" });
  });

  test.each([
    ["sora", openaiUpstream],
    ["kling", klingUpstream],
    ["veo", veoUpstream],
    ["seedance", arkUpstream],
  ])("%s: an answer about another task, or none, changes nothing", (_id, upstream) => {
    for (const json of [
      {},
      { id: "other", status: "completed" },
      { data: { task_id: "other", task_status: "succeed" } },
    ]) {
      expect(upstream.readPoll(json, [asked("m")])).toBeNull();
    }
  });

  test("a refusal with a good status is a failure to be followed by another channel", () => {
    const kling = { code: 1303, message: "parallel task over resource pack limit", request_id: "r" };
    expect(() => klingUpstream.readSubmitted(kling, common().request)).toThrow(
      expect.objectContaining({ failure: expect.objectContaining({ status: 429 }) }),
    );
    for (const upstream of [openaiUpstream, veoUpstream, arkUpstream]) {
      expect(() => upstream.readSubmitted({ error: { message: "no" } }, common().request)).toThrow();
      expect(() => upstream.readSubmitted({}, common().request)).toThrow();
    }
  });

  test("the id of an operation cannot lead anywhere else", () => {
    for (const name of ["models/../../files/x", "https://evil.example/x", "models/a/operations/b?key=1"]) {
      expect(() => veoUpstream.readSubmitted({ name }, common().request)).toThrow();
    }
  });
});

describe("what callers see of a task", () => {
  const context = { serverAddress: "https://weir.example/", options, requestId: "r1" };
  const done = (results: string[]) => task({ status: "SUCCESS", finishTime: 1_700_000_060_000, results });
  const shown = (wire: TaskWire<VideoRequest>, one: Task): Json => {
    const [page] = wire.pages;
    if (page?.kind !== "rows") throw new Error("no page of rows");
    return page.render([one], context) as Json;
  };

  test("a video without a public address is at our own", () => {
    const content = "https://weir.example/v1/videos/task1/content";
    expect(shown(commonVideos, done([]))).toMatchObject({ status: "completed", url: content });
    expect(shown(klingVideos, done([]))).toMatchObject({ data: { task_result: { videos: [{ url: content }] } } });
    expect(shown(arkVideos, done([]))).toMatchObject({ status: "succeeded", content: { video_url: content } });
    expect(shown(openaiVideos, done([]))).toMatchObject({ status: "completed", progress: 100, seconds: "8" });
    expect(shown(veoVideos, done([]))).toMatchObject({
      done: true,
      response: {
        generateVideoResponse: {
          generatedSamples: [{ video: { uri: "https://weir.example/v1beta/files/7461736b31:download?alt=media" } }],
        },
      },
    });
  });

  test.each([
    ["openai", openaiVideos, { status: "failed", error: { message: "no dogs" } }],
    ["common", commonVideos, { status: "failed", error: { message: "no dogs" }, data: { status: "FAILURE" } }],
    ["kling", klingVideos, { data: { task_status: "failed", task_status_msg: "no dogs" } }],
    ["veo", veoVideos, { done: true, error: { message: "no dogs" } }],
    ["ark", arkVideos, { status: "failed", error: { message: "no dogs" } }],
  ])("a failure has its reason (%s)", (_name, wire, expected) => {
    expect(shown(wire, task({ status: "FAILURE", failReason: "no dogs" }))).toMatchObject(expected);
  });

  test("another's task is as unknown as none", () => {
    for (const wire of [openaiVideos, commonVideos, klingVideos, veoVideos, arkVideos]) {
      const [page] = wire.pages;
      if (page?.kind !== "rows") throw new Error("no page of rows");
      expect(() => page.render([], context)).toThrow(expect.objectContaining({ status: 404 }));
    }
  });

  test("no upstream's id is shown", () => {
    for (const wire of [openaiVideos, commonVideos, klingVideos, veoVideos, arkVideos]) {
      expect(JSON.stringify(shown(wire, task({ upstreamId: "secret-up", data: { id: "secret-up" } })))).not.toContain(
        "secret-up",
      );
    }
  });
});
