import { z } from "zod";

/** What a form showed of the fields that it sends; see lib/seen.ts. */
export const seenField = z.record(z.string().max(100), z.unknown()).optional();
