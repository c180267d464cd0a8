import { z } from "zod";
import { pageShape } from "@/lib/page";
import { type FilterField, type FilterPart, LOG_FILTERS } from "./columns";

/** How far back ordinary users can see (contract §13.4). */
export const OWN_LOG_SECONDS = 3 * 86_400;
/** Counting stops here; users with more rows need a narrower filter. */
export const LOG_COUNT_MAX = 10_000;

// An invalid filter is refused: if it were ignored, every row would seem to match.
const text = z.string().trim().max(255).default("");
const seconds = z.number().int().min(0).max(253_402_300_799).optional();
const inputs = {
  text,
  pattern: text,
  id: z.number().int().min(1).max(2_147_483_647).optional(),
  type: z.number().int().min(0).max(9).default(0),
  flag: z.boolean().default(false),
};

/** The inputs of all columns with a filter. */
const filterShape = Object.fromEntries(LOG_FILTERS.map(({ field, input }) => [field, inputs[input]])) as {
  [Field in FilterField]: (typeof inputs)[FilterPart<Field, "input">];
};

export const logSearchSchema = z.object({
  ...pageShape,
  /** "all" is for administrators; absent = "all" for administrators, "own" for others. */
  scope: z.enum(["all", "own"]).optional(),
  ...filterShape,
  startTimestamp: seconds,
  endTimestamp: seconds,
});
export type LogSearch = z.input<typeof logSearchSchema>;
export type ParsedLogSearch = z.output<typeof logSearchSchema>;
