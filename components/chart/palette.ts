/**
 * Colours of series by rank. Each has a contrast of at least 3:1 to the surface of both themes, and neighbours differ in
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

/** What is not listed by name. */
export const OTHERS_COLOUR = "#7c8796";

/** The colour of a series by its place; `isOthers` for the one that holds all the rest. */
export function colourOf(place: number, isOthers = false): string {
  return isOthers ? OTHERS_COLOUR : (COLOURS[place % COLOURS.length] ?? OTHERS_COLOUR);
}
