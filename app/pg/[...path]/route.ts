import { z } from "zod";
import { localeOf } from "@/lib/http/message";
import { defineRoutes, route } from "@/lib/http/route";
import { streamOf, videoOf } from "@/lib/http/stream";
import { callPlayground } from "@/lib/playground/commands";
import { findPlaygroundCharge } from "@/lib/playground/queries";
import { PLAYGROUND_CALLS, type PlaygroundCall } from "@/lib/playground/types";
import { openVideo } from "@/lib/playground/video-queries";

const groupSchema = z.object({ group: z.string().max(64).optional() });
const chargeSchema = z.object({ request: z.string().min(1).max(64) });

/** A call of one operation. The body goes on to the relay as it arrives, unread. */
const operationRoute = (operation: PlaygroundCall) =>
  route({
    method: "POST",
    path: PLAYGROUND_CALLS[operation].path,
    access: "user",
    query: groupSchema,
    handler: async ({ ctx, request, query }) =>
      streamOf(await callPlayground(ctx, { operation, request, locale: localeOf(request), ...query })),
  });

/**
 * The playground's operations beside conversations, for signed-in users; what a call was charged; and the videos of tasks,
 * for players.
 */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  operationRoute("images"),
  operationRoute("edits"),
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
  route({
    method: "GET",
    path: "/videos/:id/content",
    // A player sends the session's cookie, and cannot send the header with the user's id.
    access: "optional",
    handler: async ({ ctx, request, id }) => {
      const { headers, signal } = request;
      const asked = { id, range: headers.get("range"), locale: localeOf(request), signal };
      return videoOf(await openVideo(ctx, asked), `video-${id}`);
    },
  }),
]);
