import { expect, test } from "vitest";
import { builtInModelsByType } from "@/lib/model/queries";
import { rows } from ".";

const offered = [...rows.values()]
  .flatMap(({ id, name, position }) => (position === null ? [] : [{ id, name, position }]))
  .sort((a, b) => a.position - b.position);

test("the types of channels are those of the specification that can still be used, each once, with its name in both languages (B138)", () => {
  expect(offered.map(({ id }) => id)).toEqual([
    1, 2, 5, 36, 50, 54, 55, 4, 14, 33, 41, 3, 34, 39, 43, 15, 46, 17, 18, 16, 26, 24, 47, 25, 20, 19, 23, 31, 35, 37,
    38, 40, 42, 8, 22, 21, 44, 45, 48, 49,
  ]);
  for (const language of ["en", "zh"] as const) {
    const names = offered.map(({ name }) => name[language]);
    expect(names.filter((name) => name === "")).toEqual([]);
    expect(new Set(names).size).toBe(offered.length);
  }
  const named = [1, 2, 5, 3, 8, 18, 21, 22, 36, 39, 41].map((type) => rows.get(type)?.name.en);
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
