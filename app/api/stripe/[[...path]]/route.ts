import { readText } from "@/lib/http/body";
import { defineRoutes, route } from "@/lib/http/route";
import { receiveStripeWebhook } from "@/lib/topup/callback-commands";

/** Limit of the request body. Stripe's events are a few kilobytes. */
const BODY_BYTES_MAX = 64 * 1_024;

export const { GET, POST, PUT, DELETE } = defineRoutes([
  route({
    method: "POST",
    path: "/webhook",
    access: "public",
    handler: async ({ ctx, request }) => {
      const body = await readText(request, BODY_BYTES_MAX);
      const signature = request.headers.get("stripe-signature") ?? "";
      const accepted = await receiveStripeWebhook(ctx.db, { body, signature, clientIp: ctx.clientIp });
      // Stripe sends the event again after any status other than 2xx.
      return Response.json({ received: accepted }, { status: accepted ? 200 : 409 });
    },
  }),
]);
