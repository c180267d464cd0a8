import { z } from "zod";

/** A question to a knowledge base of AI Proxy. */
export const aiProxyLibraryRequest = z.strictObject({
  model: z.string().min(1),
  query: z.string().min(1),
  libraryId: z.string().min(1),
  stream: z.boolean(),
});
