import { z } from "zod";

/** The Turnstile token in the query (A185). requireHuman decides whether it is required. */
export const humanQuery = z.object({ turnstile: z.string().optional() });
