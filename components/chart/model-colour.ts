import { OTHERS_COLOUR } from "./palette";

const HUES = 24;
/** Lightness and chroma of the tones of each hue: contrast of at least 3:1 to the surface of both themes. */
const TONES = [
  { lightness: 0.53, chroma: 0.13 },
  { lightness: 0.64, chroma: 0.11 },
] as const;
const PLACES = HUES * TONES.length;
/** Spreads the usual models over the palette: chosen so that few of them share a colour. */
const SEED = 162_735;

/**
 * The colour of a model in every chart: it depends on the name alone, so that it is the same for everybody, on every page
 * and at every rank. "" or null = the series that sums up the rest.
 */
export function colourOfModel(name: string | null): string {
  if (name === null || name === "") return OTHERS_COLOUR;
  const place = hash(name) % PLACES;
  const tone = TONES[place % TONES.length] ?? TONES[0];
  const hue = (Math.floor(place / TONES.length) * 360) / HUES;
  return `oklch(${tone.lightness} ${tone.chroma} ${hue})`;
}

/** FNV-1a over UTF-16 code units, with a final mix: names differ in few characters. */
function hash(text: string): number {
  let value = (0x811c9dc5 ^ SEED) >>> 0;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193) >>> 0;
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d) >>> 0;
  return (value ^ (value >>> 13)) >>> 0;
}
