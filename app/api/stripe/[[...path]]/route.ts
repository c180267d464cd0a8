import { AppError } from "@/lib/errors";
import { defineRoutes, route } from "@/lib/http/route";
import { receiveStripeWebhook } from "@/lib/topup/callback-commands";

/** Stripe's events are a few kilobytes. */
const BODY_BYTES_MAX = 64 * 1_024;

export const { GET, POST, PUT, DELETE } = defineRoutes([
  route({
    method: "POST",
    path: "/webhook",
    access: "public",
    handler: async ({ ctx, request }) => {
      const body = await request.text();
      if (Buffer.byteLength(body) > BODY_BYTES_MAX) throw new AppError("invalid", "bodyTooLarge");
      const signature = request.headers.get("stripe-signature") ?? "";
      const accepted = await receiveStripeWebhook(ctx.db, { body, signature, clientIp: ctx.clientIp });
      // Another status than 2xx makes Stripe call again.
      return Response.json({ received: accepted }, { status: accepted ? 200 : 409 });
    },
  }),
]);
