import type { z } from "zod";

/** An entry of a list that people wrote, with its place as they see it: the number of its line, or of its entry between commas. */
export type ListEntry = { line: number; text: string };

/** The entries, trimmed and without empty ones, which count as lines all the same. */
export function entriesOf(text: string, separator: "\n" | "," = "\n"): ListEntry[] {
  return text
    .split(separator)
    .map((part, at) => ({ line: at + 1, text: part.trim() }))
    .filter(({ text: entry }) => entry !== "");
}

/** The texts of the entries. */
export function linesOf(text: string): string[] {
  return entriesOf(text).map(({ text: entry }) => entry);
}

const SHOWN_MAX = 60;

/** The first entry that is not valid, as an error names it; null = all are. A long one is cut off. */
export function findBadEntry(
  text: string,
  isValid: (entry: string) => boolean,
  separator: "\n" | "," = "\n",
): ListEntry | null {
  const bad = entriesOf(text, separator).find((entry) => !isValid(entry.text));
  if (!bad) return null;
  return { line: bad.line, text: bad.text.length > SHOWN_MAX ? `${bad.text.slice(0, SHOWN_MAX)}…` : bad.text };
}

/** Refuses a list with an entry that is not valid by a message that has `{line}` and `{text}`. */
export function refuseBadEntry(
  ctx: z.RefinementCtx,
  message: string,
  ...[text, isValid, separator]: Parameters<typeof findBadEntry>
): void {
  const bad = findBadEntry(text, isValid, separator);
  if (bad) ctx.addIssue({ code: "custom", message, params: bad });
}
