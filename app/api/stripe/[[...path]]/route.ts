import { AppError } from "@/lib/errors";
import { readText } from "@/lib/http/body";
import { defineRoutes, route } from "@/lib/http/route";
import { receiveStripeWebhook } from "@/lib/topup/callback-commands";

/** Limit of the request body. Stripe's events are a few kilobytes. */
const BODY_BYTES_MAX = 64 * 1_024;

const answer = (status: number) => Response.json({ received: status === 200 }, { status });

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  route({
    method: "POST",
    path: "/webhook",
    access: "public",
    handler: async ({ ctx, request }) => {
      const body = await readText(request, BODY_BYTES_MAX);
      const signature = request.headers.get("stripe-signature") ?? "";
      // Stripe sends the event again after any status other than 2xx, and shows the operator that it failed.
      try {
        const accepted = await receiveStripeWebhook(ctx.db, { body, signature, clientIp: ctx.clientIp });
        return answer(accepted ? 200 : 409);
      } catch (error) {
        const code = error instanceof AppError ? error.code : "";
        if (code === "forbidden") return answer(400);
        if (code === "unavailable") return answer(409);
        throw error;
      }
    },
  }),
]);
