import type { Hue } from "@/components/ui/badge";

/** The tag colour of each channel type (console §3). */
export const CHANNEL_TYPES = {
  1: "green",
  2: "light-blue",
  5: "blue",
  36: "purple",
  4: "grey",
  14: "indigo",
  33: "indigo",
  41: "blue",
  3: "teal",
  34: "purple",
  39: "grey",
  43: "blue",
  15: "blue",
  46: "blue",
  17: "orange",
  18: "blue",
  16: "violet",
  26: "purple",
  24: "orange",
  11: "orange",
  47: "blue",
  25: "green",
  20: "green",
  19: "blue",
  23: "teal",
  31: "green",
  35: "green",
  37: "teal",
  38: "blue",
  40: "purple",
  42: "blue",
  8: "pink",
  22: "blue",
  21: "purple",
  44: "purple",
  45: "blue",
  48: "blue",
  27: "grey",
} as const satisfies Record<number, Hue>;

export type KnownChannelType = keyof typeof CHANNEL_TYPES;

/** The order of the select: an object would put its numeric keys in order. */
export const CHANNEL_TYPE_ORDER: readonly KnownChannelType[] = [
  1, 2, 5, 36, 4, 14, 33, 41, 3, 34, 39, 43, 15, 46, 17, 18, 16, 26, 24, 11, 47, 25, 20, 19, 23, 31, 35, 37, 38, 40, 42,
  8, 22, 21, 44, 45, 48,
];

export function isKnownChannelType(type: number): type is KnownChannelType {
  return type in CHANNEL_TYPES;
}
