import { z } from "zod";
import { pageShape } from "@/lib/page";
import { type FilterField, type FilterPart, LOG_FILTERS } from "./columns";

/** Ordinary users see no further back than this (contract §13.4). */
export const OWN_LOG_SECONDS = 3 * 86_400;
/** Totals are counted up to here; beyond it a narrower filter is the way on. */
export const LOG_COUNT_MAX = 10_000;

// A filter that makes no sense is refused: left aside, it would show every row as if all of them matched.
const text = z.string().trim().max(255).default("");
const seconds = z.number().int().min(0).max(253_402_300_799).optional();
const inputs = {
  text,
  pattern: text,
  id: z.number().int().min(1).max(2_147_483_647).optional(),
  type: z.number().int().min(0).max(9).default(0),
};

/** A filter of each column that has one. */
const filterShape = Object.fromEntries(LOG_FILTERS.map(({ field, input }) => [field, inputs[input]])) as {
  [Field in FilterField]: (typeof inputs)[FilterPart<Field, "input">];
};

export const logSearchSchema = z.object({
  ...pageShape,
  /** "all" is for administrators; left out = all for them, own for everybody else. */
  scope: z.enum(["all", "own"]).optional(),
  ...filterShape,
  startTimestamp: seconds,
  endTimestamp: seconds,
});
export type LogSearch = z.input<typeof logSearchSchema>;
export type ParsedLogSearch = z.output<typeof logSearchSchema>;
