import type { Hue } from "@/components/ui/badge";

/** The colour of a group's ratio (A227): above 5 red, above 3 orange, above 1 blue, else green. */
export function ratioHue(ratio: number): Hue {
  if (ratio > 5) return "red";
  if (ratio > 3) return "orange";
  if (ratio > 1) return "blue";
  return "green";
}
