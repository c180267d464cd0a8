import { z } from "zod";
import { pageShape } from "@/lib/page";

/** Ordinary users see no further back than this (contract §13.4). */
export const OWN_LOG_SECONDS = 3 * 86_400;
/** Totals are counted up to here; beyond it a narrower filter is the way on. */
export const LOG_COUNT_MAX = 10_000;

// A filter that makes no sense is refused: left aside, it would show every row as if all of them matched.
const text = z.string().trim().max(255).default("");
const seconds = z.number().int().min(0).max(253_402_300_799).optional();

export const logSearchSchema = z.object({
  ...pageShape,
  /** "all" is for administrators; left out = all for them, own for everybody else. */
  scope: z.enum(["all", "own"]).optional(),
  /** 0 or left out = every type. */
  type: z.number().int().min(0).max(9).default(0),
  username: text,
  tokenName: text,
  /** `%` stands for any text; without it the name must be equal. */
  modelName: text,
  group: text,
  channelId: z.number().int().min(1).max(2_147_483_647).optional(),
  requestId: text,
  startTimestamp: seconds,
  endTimestamp: seconds,
});
export type LogSearch = z.input<typeof logSearchSchema>;
export type ParsedLogSearch = z.output<typeof logSearchSchema>;
