import type { Json } from "../../canonical/json";

/** The categories that all Gemini models have. */
const USUAL = [
  "HARM_CATEGORY_HARASSMENT",
  "HARM_CATEGORY_HATE_SPEECH",
  "HARM_CATEGORY_SEXUALLY_EXPLICIT",
  "HARM_CATEGORY_DANGEROUS_CONTENT",
  "HARM_CATEGORY_CIVIC_INTEGRITY",
];

/** The thresholds of an operator as Google takes them; undefined = none is set. */
export function encodeSafety(thresholds: Readonly<Record<string, string>>): Json[] | undefined {
  const { default: usual, ...named } = thresholds;
  const all: Record<string, string> = usual === undefined ? {} : Object.fromEntries(USUAL.map((name) => [name, usual]));
  const settings = Object.entries({ ...all, ...named }).map(([category, threshold]) => ({ category, threshold }));
  return settings.length > 0 ? settings : undefined;
}
