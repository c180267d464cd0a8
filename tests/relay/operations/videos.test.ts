// Videos of five makers: charged by the second when they are taken, refunded or adjusted at their end, streamed to their owner.
import { describe, expect, test } from "vitest";
import { METER_PRICES, quotaFor, setUpVideos } from "../videos-harness";

const { relay, ask, content, rowsOf, poll } = setUpVideos();
const MAKERS = [
  ["sora", "sora-t"],
  ["kling", "kling-t"],
  ["veo", "veo-t"],
  ["vertex", "veo-vertex"],
  ["seedance", "seedance-t"],
] as const;

async function submitted(model: string, more: Record<string, unknown> = {}) {
  const { user, token } = await relay.addCaller();
  const body = { model, prompt: "a weir at dawn", duration: 8, size: "1280x720", ...more };
  const { status, json } = await ask(token.key, "/v1/video/generations", body);
  expect([status, json.status]).toEqual([200, "queued"]);
  return { user, key: token.key, id: String(json.task_id) };
}

describe.each(MAKERS)("%s", (platform, model) => {
  test("a video is charged when it is taken, shown while it is made, and streamed when it is done", async () => {
    relay.makers.fate = { polls: 1, end: "done" };
    const { user, key, id } = await submitted(model);
    expect(await rowsOf(user)).toMatchObject([{ taskId: id, platform, action: "text2video", quota: quotaFor(8) }]);
    expect(await relay.logsOf(user)).toMatchObject([
      { type: 2, model, quota: quotaFor(8), other: { meters: [{ quantity: 8 }] } },
    ]);
    await poll();
    expect((await ask(key, `/v1/video/generations/${id}`)).json).toMatchObject({ status: "in_progress" });
    expect((await content(key, `/v1/videos/${id}/content`)).status).toBe(409);
    await poll();
    const { json } = await ask(key, `/v1/video/generations/${id}`);
    expect(json).toMatchObject({ status: "completed", progress: 100, format: "mp4", data: { status: "SUCCESS" } });
    const file = await content(key, `/v1/videos/${id}/content`);
    expect([file.status, file.headers.get("content-type")]).toEqual([200, "video/mp4"]);
    expect(file.body.equals(relay.makers.video)).toBe(true);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000 - quotaFor(8), used: quotaFor(8) });
  });

  test("a video that fails is refunded once, with the maker's reason", async () => {
    relay.makers.fate = { polls: 0, end: platform === "veo" || platform === "vertex" ? "withheld" : "failed" };
    const { user, key, id } = await submitted(model);
    await Promise.all([poll(), poll()]);
    expect(await rowsOf(user)).toMatchObject([{ status: "FAILURE", quota: 0, failReason: "risk control" }]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
    const { json } = await ask(key, `/v1/video/generations/${id}`);
    expect(json).toMatchObject({ status: "failed", error: { message: "risk control" } });
    expect(json.url).toBeUndefined();
  });

  test("is as unknown to another user as one that is not there, in every format", async () => {
    const { id } = await submitted(model);
    await poll();
    const { token } = await relay.addCaller();
    for (const path of [
      `/v1/videos/${id}`,
      `/v1/videos/${id}/content`,
      `/v1/video/generations/${id}`,
      `/kling/v1/videos/text2video/${id}`,
      `/api/v3/contents/generations/tasks/${id}`,
      `/v1beta/models/${model}/operations/${id}`,
      `/v1beta/files/${Buffer.from(id).toString("hex")}:download?alt=media`,
    ]) {
      expect((await ask(token.key, path)).status).toBe(404);
      expect((await ask(token.key, path.replace(id, "x".repeat(32)))).status).toBe(404);
    }
    expect((await ask(token.key, "/v1/videos")).json).toMatchObject({ data: [] });
  });
});

describe("charges", () => {
  test("follow the length and the resolution that the maker reports, up and down", async () => {
    relay.makers.fate = { polls: 0, end: "done", seconds: 5, resolution: "1080p" };
    const { user } = await submitted("seedance-t");
    relay.makers.fate = { polls: 0, end: "done", seconds: 4 };
    const sora = await submitted("sora-t");
    await poll();
    expect(await rowsOf(user)).toMatchObject([{ quota: quotaFor(5) * 4 }]);
    expect(await rowsOf(sora.user)).toMatchObject([{ quota: quotaFor(4) }]);
    expect(await relay.balanceOf(sora.user)).toEqual({ quota: 1_000_000 - quotaFor(4), used: quotaFor(4) });
  });

  test("are by mode and sound where the maker has them", async () => {
    const { user } = await submitted("kling-t", { size: "1920x1080", metadata: { sound: true } });
    expect(await rowsOf(user)).toMatchObject([{ quota: quotaFor(8) * 5 }]);
  });

  test("need a price for what is asked for: without one nothing is asked of the maker", async () => {
    const { user, token } = await relay.addCaller();
    const before = relay.makers.seen.length;
    const body = { model: "sora-t", prompt: "x", duration: 8, size: "3840x2160" };
    const { status, text } = await ask(token.key, "/v1/video/generations", body);
    expect([status, text.includes("second:4k")]).toEqual([400, true]);
    expect(relay.makers.seen.length).toBe(before);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  });

  test("are refused beyond the balance", async () => {
    const { token } = await relay.addCaller({ balance: quotaFor(8) - 1 });
    const body = { model: "veo-t", prompt: "x", duration: 8 };
    expect((await ask(token.key, "/v1/video/generations", body)).status).toBe(429);
  });
});

describe("a maker that does not take the task", () => {
  test.each(["429", "500", "silent", "cut", "empty", "error"])(
    "%s: nothing is charged and nothing is left",
    async (kind) => {
      const { user, token } = await relay.addCaller();
      const model = `sora-${kind}`;
      expect(Object.keys(METER_PRICES)).toContain(model);
      const { status, text } = await ask(token.key, "/v1/video/generations", { model, prompt: "x", duration: 4 });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(text).not.toContain("good-key");
      expect(await rowsOf(user)).toEqual([]);
      expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
    },
  );

  test("is followed by another channel", async () => {
    const { user, token } = await relay.addCaller();
    const body = { model: "sora-two-503", prompt: "x", duration: 4 };
    expect((await ask(token.key, "/v1/video/generations", body)).status).toBe(200);
    expect(await relay.logsOf(user)).toMatchObject([{ channel: relay.channelIds.at(-1), quota: quotaFor(4) }]);
  });

  test("a request that it has no words for is 400 and costs nothing", async () => {
    const { user, token } = await relay.addCaller();
    const body = { model: "sora-t", prompt: "x", duration: 4, seed: 7, size: "1280x720" };
    const { status, json } = await ask(token.key, "/v1/video/generations", body);
    expect([status, json]).toMatchObject([400, { error: { param: "seed" } }]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  });
});

describe("the file", () => {
  test("comes in parts where the caller asks for one, and the key goes to nobody but the maker", async () => {
    for (const model of ["sora-t", "kling-t"]) {
      const { key, id } = await submitted(model);
      await poll();
      const part = await content(key, `/v1/videos/${id}/content`, { range: "bytes=10-29" });
      expect([part.status, part.headers.get("content-range"), part.body.toString()]).toEqual([
        206,
        "bytes 10-29/200000",
        "01234567890123456789",
      ]);
    }
    const toStore = relay.makers.seen.filter(({ path }) => path.startsWith("/cdn/"));
    expect(toStore.length).toBeGreaterThan(0);
    expect(toStore.every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  test.each(["sora-t", "kling-t"])(
    "that breaks off is cut for the caller too, and a page is never passed on (%s)",
    async (model) => {
      const { key, id } = await submitted(model);
      await poll();
      relay.makers.files = "cut";
      await expect(content(key, `/v1/videos/${id}/content`)).rejects.toThrow();
      relay.makers.files = "page";
      const page = await content(key, `/v1/videos/${id}/content`);
      expect([page.status, page.body.includes("script")]).toEqual([502, false]);
      relay.makers.files = "whole";
      expect((await content(key, `/v1/videos/${id}/content`)).body.equals(relay.makers.video)).toBe(true);
    },
  );

  test("that the maker no longer has is 404", async () => {
    const { key, id } = await submitted("sora-t");
    await poll();
    const { path } = relay.makers.seen.at(-1) ?? { path: "" };
    await fetch(relay.makers.url + path, { method: "DELETE", headers: { authorization: "Bearer good-key" } });
    expect((await content(key, `/v1/videos/${id}/content`)).status).toBe(404);
  });
});
