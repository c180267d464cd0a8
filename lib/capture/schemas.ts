import { z } from "zod";
import { CAPTURE_SPANS } from "./types";

export const captureIdSchema = z.object({ id: z.number().int().positive() });

export const captureKeySchema = z.object({
  tokenId: z.number().int().positive(),
  /** How long; 0 = no longer, -1 = until it is switched off, which only the key's user may choose. */
  seconds: z
    .number("captureSpanInvalid")
    .refine((seconds) => [0, -1, ...CAPTURE_SPANS].includes(seconds), { message: "captureSpanInvalid" }),
});
