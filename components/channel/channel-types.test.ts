import { expect, test } from "vitest";
import { builtInModelsByType } from "@/lib/model/built-in-models";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { CHANNEL_TYPE_ORDER } from "./channel-types";

test("the types of channels are those of the specification, each once, with its name in both languages (B138)", () => {
  expect(CHANNEL_TYPE_ORDER).toEqual([
    1, 2, 5, 36, 4, 14, 33, 41, 3, 34, 39, 43, 15, 46, 17, 18, 16, 26, 24, 11, 47, 25, 20, 19, 23, 31, 35, 37, 38, 40,
    42, 8, 22, 21, 44, 45, 48,
  ]);
  const names = (texts: Record<string, string>) => CHANNEL_TYPE_ORDER.map((type) => texts[`t${type}`] ?? "");
  for (const texts of [en.channelType, zh.channelType]) {
    expect(names(texts).filter((name) => name === "")).toEqual([]);
    expect(new Set(names(texts)).size).toBe(CHANNEL_TYPE_ORDER.length);
  }
  const named = [1, 2, 5, 3, 8, 18, 21, 22, 36, 39, 41].map(
    (type) => (en.channelType as Record<string, string>)[`t${type}`],
  );
  expect(named).toEqual([
    "OpenAI",
    "Midjourney Proxy",
    "Midjourney Proxy Plus",
    "Azure OpenAI",
    "Custom",
    "iFlytek Spark",
    "AI Proxy library",
    "FastGPT library",
    "Suno API",
    "Cloudflare",
    "Vertex AI",
  ]);
});

test("the channels of drawing and music start with the fixed list of their models (B066)", () => {
  const byType = builtInModelsByType();
  const drawing = ["imagine", "variation", "reroll", "blend", "upscale", "describe", "upload"].map(
    (name) => `mj_${name}`,
  );
  const more = ["zoom", "shorten", "modal", "inpaint", "custom_zoom", "high_variation", "low_variation", "pan"];
  expect(byType.get(2)?.toSorted()).toEqual(drawing.toSorted());
  expect(byType.get(5)?.toSorted()).toEqual([...drawing, ...more.map((name) => `mj_${name}`), "swap_face"].toSorted());
  expect(byType.get(36)?.toSorted()).toEqual(["suno_lyrics", "suno_music"]);
});
