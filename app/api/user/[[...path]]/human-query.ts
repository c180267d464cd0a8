import { z } from "zod";

/** The token of the human check, as the calls carry it (A185); whether it must be there is for requireHuman to say. */
export const humanQuery = z.object({ turnstile: z.string().optional() });
