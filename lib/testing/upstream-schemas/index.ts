import type { z } from "zod";

/** The requests that upstreams accept, by wire format, as strict as their providers publish them. */
export const upstreamSchemas: ReadonlyMap<string, z.ZodType> = new Map([]);
