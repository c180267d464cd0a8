import { z } from "zod";
import { defineRoutes, route } from "@/lib/http/route";
import { streamOf } from "@/lib/http/stream";
import { callPlayground } from "@/lib/playground/commands";
import { findPlaygroundCharge } from "@/lib/playground/queries";
import { type MediaOperation, PLAYGROUND_CALLS } from "@/lib/playground/types";

const groupSchema = z.object({ group: z.string().max(64).optional() });
const chargeSchema = z.object({ request: z.string().min(1).max(64) });

/** A call of one operation. The body goes on to the relay as it arrives, unread. */
const operationRoute = (operation: MediaOperation) =>
  route({
    method: "POST",
    path: PLAYGROUND_CALLS[operation].path,
    access: "user",
    query: groupSchema,
    handler: async ({ ctx, request, query }) => streamOf(await callPlayground(ctx, { operation, request, ...query })),
  });

/** The playground's operations beside conversations, for signed-in users; and what a call was charged. */
export const { GET, POST } = defineRoutes([
  operationRoute("images"),
  operationRoute("speech"),
  operationRoute("transcriptions"),
  operationRoute("embeddings"),
  route({
    method: "GET",
    path: "/charge",
    access: "user",
    query: chargeSchema,
    handler: async ({ ctx, query }) => {
      const charge = await findPlaygroundCharge(ctx, query.request);
      if (!charge) return null;
      const { quota, promptTokens, completionTokens } = charge;
      return { quota, prompt_tokens: promptTokens, completion_tokens: completionTokens };
    },
  }),
]);
