import { expect, test } from "vitest";
import { readVideos, videoAddresses } from "./videos";

const URL = "https://cdn.example/v.mp4";

test("videos are found where each provider has them", () => {
  expect(readVideos({ data: { task_result: { videos: [{ id: "1", url: URL }] } } }), "Kling").toEqual([URL]);
  expect(readVideos({ content: { video_url: "https://cdn.example/x?sign=1" } }), "Ark").toEqual([
    "https://cdn.example/x?sign=1",
  ]);
  expect(readVideos([{ audio_url: "https://cdn.example/a.mp3", video_url: URL }]), "Suno").toEqual([URL]);
  expect(readVideos(null, [URL, "https://cdn.example/p.png"]), "the task's results").toEqual([URL]);
  expect(readVideos({ video_url: URL }, [URL]), "once").toEqual([URL]);
});

test("what is no address of a video is not played, however deep or long the answer is", () => {
  for (const url of ["javascript:alert(1)", "//x/v.mp4", "", "data:text/html,x.mp4"])
    expect(readVideos({ video_url: url })).toEqual([]);
  let deep: unknown = URL;
  for (let i = 0; i < 10_000; i++) deep = { deep };
  expect(readVideos(deep)).toEqual([]);
  expect(readVideos(Array.from({ length: 500 }, (_, at) => `https://cdn.example/${at}.mp4`)).length).toBe(20);
});

test("a video without a public address is played through this site, once it is there", () => {
  const task = { id: 7, results: [], hasVideo: true };
  expect(videoAddresses({ ...task, data: { id: "video_1", status: "completed" } }), "Sora").toEqual([
    "/pg/videos/7/content",
  ]);
  expect(videoAddresses({ ...task, data: { uris: ["https://g.example/v1beta/files/f:download?alt=media"] } })).toEqual([
    "/pg/videos/7/content",
  ]);
  expect(videoAddresses({ ...task, data: null, results: [URL] })).toEqual([URL]);
  expect(videoAddresses({ ...task, data: null, hasVideo: false })).toEqual([]);
});
