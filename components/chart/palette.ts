/**
 * Colours of series that are always the same ones in the same order, such as p50 and p95; models have their own
 * (model-colour.ts). Each has a contrast of at least 3:1 to the surface of both themes, and neighbours differ in
 * lightness as well as in hue.
 */
const COLOURS = [
  "#3b82c4",
  "#c2620d",
  "#2f8f5b",
  "#8b5fd1",
  "#c64677",
  "#0f8b98",
  "#9a7416",
  "#5a73d8",
  "#72801f",
] as const;

/** Colour of the "others" series. */
export const OTHERS_COLOUR = "#7c8796";

/** Colour of the series at index `place`. */
export function colourOf(place: number): string {
  return COLOURS[place % COLOURS.length] ?? OTHERS_COLOUR;
}
