import { z } from "zod";

/** Longest window that an ordinary user may ask for (contract §1.12). */
export const OWN_WINDOW_SECONDS = 2_592_000;
/** Longest window for administrators: what the hourly sums can answer quickly. */
export const WINDOW_SECONDS_MAX = 366 * 86_400;

const moment = z.number("timeRangeInvalid").int("timeRangeInvalid").min(0, "timeRangeInvalid");

export const usageWindowSchema = z
  .object({
    /** "all" is for administrators. */
    scope: z.enum(["all", "own"]),
    from: moment,
    until: moment,
    username: z.string().trim().max(64).optional(),
  })
  .refine(({ from, until }) => until >= from, { message: "timeRangeInvalid" });
export type UsageWindow = z.input<typeof usageWindowSchema>;
