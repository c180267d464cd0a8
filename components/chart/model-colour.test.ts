import { expect, test } from "vitest";
import { colourOfModel } from "./model-colour";
import { OTHERS_COLOUR } from "./palette";

/** The models of the demo and the ones that most operators sell. */
const USUAL = [
  "gpt-4o",
  "gpt-4o-mini",
  "gpt-4.1",
  "gpt-4.1-mini",
  "o3",
  "o4-mini",
  "claude-3-5-sonnet-20241022",
  "claude-sonnet-4-20250514",
  "claude-3-5-haiku-20241022",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "deepseek-chat",
  "deepseek-reasoner",
  "qwen-max",
  "text-embedding-3-small",
  "text-embedding-3-large",
];

/** The surfaces of both themes as relative luminance (--surface in app/globals.css). */
const SURFACES = [oklchLuminance(1, 0, 0), oklchLuminance(0.208, 0.015, 250)];

function oklchLuminance(lightness: number, chroma: number, hue: number): number {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (value: number) => Math.min(1, Math.max(0, value));
  const red = clip(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s);
  const green = clip(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s);
  const blue = clip(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test("a model's colour depends on its name alone, not on its rank", () => {
  const first = USUAL.map(colourOfModel);
  expect([...USUAL].reverse().map(colourOfModel).reverse()).toEqual(first);
  expect(colourOfModel("gpt-4o")).not.toBe(colourOfModel("gpt-4o-mini"));
  expect([colourOfModel(null), colourOfModel("")]).toEqual([OTHERS_COLOUR, OTHERS_COLOUR]);
});

/** In OKLab, where the distance of two hues beside each other of one tone is 0.03. */
function toOklab(colour: string): [number, number, number] {
  const [lightness = 0, chroma = 0, hue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  const angle = (hue * Math.PI) / 180;
  return [lightness, chroma * Math.cos(angle), chroma * Math.sin(angle)];
}

test("the usual models can be told apart: no two have neighbouring colours", () => {
  const colours = USUAL.map((model) => toOklab(colourOfModel(model)));
  for (const [place, colour] of colours.entries())
    for (const [before, other] of colours.slice(0, place).entries()) {
      const distance = Math.hypot(...colour.map((value, axis) => value - (other[axis] ?? 0)));
      expect(distance, `${USUAL[place]} and ${USUAL[before]}`).toBeGreaterThan(0.05);
    }
});

test("every colour has a contrast of 3:1 to the surface of both themes", () => {
  const colours = new Set(Array.from({ length: 5_000 }, (_, i) => colourOfModel(`model-${i}`)));
  expect(colours.size).toBe(48);
  for (const colour of colours) {
    const [lightness = 0, chroma = 0, hue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
    const own = oklchLuminance(lightness, chroma, hue);
    for (const surface of SURFACES) {
      const [low = 0, high = 0] = [own, surface].toSorted((a, b) => a - b);
      expect((high + 0.05) / (low + 0.05), `${colour} on ${surface}`).toBeGreaterThanOrEqual(3);
    }
  }
});
