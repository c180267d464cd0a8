import { ensureInviteCode, transferEarnings } from "@/lib/affiliate/commands";
import { transferEarningsSchema } from "@/lib/affiliate/schemas";
import { replyMessage } from "@/lib/http/message";
import { Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";

/** Invitations and their rewards (contract §1.6). */
export const affiliateRoutes: readonly Route[] = [
  route({ method: "GET", path: "/aff", changes: true, access: "user", handler: ({ ctx }) => ensureInviteCode(ctx) }),
  route({
    method: "POST",
    path: "/aff_transfer",
    access: "user",
    body: transferEarningsSchema,
    handler: async ({ ctx, request, body }) => {
      await transferEarnings(ctx, body);
      return new Reply({ message: replyMessage(request, "earningsTransferred") });
    },
  }),
];
