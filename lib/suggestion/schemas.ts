import { z } from "zod";

/** What the filters of lists suggest. */
export const SUGGESTED = ["user", "model", "channel", "token", "group"] as const;
export type Suggested = (typeof SUGGESTED)[number];

export const suggestInput = z.object({
  of: z.enum(SUGGESTED),
  /** Part of the value; empty = the first ones. */
  term: z.string().trim().max(100, "valueInvalid").default(""),
});
export type SuggestInput = z.input<typeof suggestInput>;

/** A value that exists; the hint tells it from others. */
export type Suggestion = { value: string; hint: string };
