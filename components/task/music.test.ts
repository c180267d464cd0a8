import { expect, test } from "vitest";
import { imageAddress } from "@/components/drawing/image-address";
import { readSongs } from "./music";
import { percentOf } from "./progress-bar";

test("songs and lyrics are found in what an upstream answered, and only addresses that a player may open", () => {
  const songs = readSongs([
    { title: "A", audio_url: "https://cdn.example/a.mp3", metadata: { prompt: "la la", tags: "folk", duration: 61 } },
    { title: "B", audio_url: "javascript:alert(1)", image_url: "data:text/html,x" },
    "nonsense",
    null,
  ]);
  expect(songs).toEqual([
    { title: "A", audioUrl: "https://cdn.example/a.mp3", imageUrl: "", lyrics: "la la", tags: "folk", duration: 61 },
  ]);
  expect(readSongs({ title: "C", text: "words" })).toMatchObject([{ audioUrl: "", lyrics: "words" }]);
  expect(readSongs(null)).toEqual([]);
});

test("an image comes from this site when it is forwarded, and never from what is no image's address", () => {
  expect(imageAddress("https://other.example/mj/image/abc")).toBe("/mj/image/abc");
  expect(imageAddress("/mj/image/abc")).toBe("/mj/image/abc");
  expect(imageAddress("https://cdn.example/a.png")).toBe("https://cdn.example/a.png");
  for (const bad of ["", "//evil.example/mj/image/abc", "javascript:alert(1)", "not an address", "data:text/html,x"])
    expect(imageAddress(bad)).toBeNull();
});

test("a progress is a percentage or stands as it is", () => {
  expect(["40%", "100", "7.5%", "250%", "", "queued"].map(percentOf)).toEqual([40, 100, 7, 100, null, null]);
});
