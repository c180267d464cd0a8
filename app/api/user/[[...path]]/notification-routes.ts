import { z } from "zod";
import { localeOf } from "@/lib/http/message";
import { type Route, route } from "@/lib/http/route";
import { markAnnouncementSeen, markNoticesRead } from "@/lib/notify/notice-commands";
import { listNotices } from "@/lib/notify/queries";
import { fingerprintSchema, markReadSchema } from "@/lib/notify/schemas";

/** Not in the contract: the console's own calls, open to other clients as well. */
export const notificationRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/notification",
    access: "user",
    handler: async ({ ctx, request }) => {
      const { unread, items } = await listNotices(ctx, localeOf(request));
      return { unread, items: items.map(({ createdAt, ...item }) => ({ ...item, created_at: createdAt })) };
    },
  }),
  route({
    method: "POST",
    path: "/notification/read",
    access: "user",
    body: markReadSchema,
    handler: ({ ctx, body }) => markNoticesRead(ctx, body),
  }),
  route({
    method: "POST",
    path: "/notification/announcement",
    access: "user",
    body: z.object({ fingerprint: fingerprintSchema }),
    handler: ({ ctx, body }) => markAnnouncementSeen(ctx, body.fingerprint),
  }),
];
