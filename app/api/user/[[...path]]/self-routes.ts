import { z } from "zod";
import { ensureInviteCode, transferEarnings, transferEarningsSchema } from "@/lib/affiliate/commands";
import { ROLE, requireRole } from "@/lib/context";
import { listUsableGroups, toWireUsableGroups } from "@/lib/group/queries";
import { localeOf, replyMessage } from "@/lib/http/message";
import { userRow } from "@/lib/http/openapi/rows";
import { Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";
import { listUsableModels } from "@/lib/model/queries";
import { markAnnouncementSeen, markNoticesRead } from "@/lib/notify/notice-commands";
import { listNotices } from "@/lib/notify/queries";
import { fingerprintSchema, markReadSchema, userSettingSchema } from "@/lib/notify/schemas";
import { saveUserSetting } from "@/lib/notify/setting-commands";
import { receiveWxPusherScan } from "@/lib/notify/wxpusher-binding-commands";
import { confirmAddress } from "@/lib/registration/confirm-address-commands";
import { getSelf } from "@/lib/user/queries";
import { createAccessToken, deleteSelf, updateSelf } from "@/lib/user/self-commands";
import { toWireUser } from "@/lib/user/wire";
import { clearedCookie, sessionCookie } from "./session-cookie";

const self = z.object({
  username: z.string("usernameInvalid").optional(),
  display_name: z.string("displayNameTooLong").optional(),
  password: z.string("passwordLength").optional(),
  original_password: z.string("originalPasswordWrong").optional(),
});

export const selfRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/self",
    access: "user",
    handler: async ({ ctx }) => toWireUser(await getSelf(ctx)),
  }),
  route({
    method: "PUT",
    path: "/self",
    access: "user",
    proof: true,
    body: self,
    row: userRow,
    handler: async ({ ctx, request, body }) => {
      const { display_name: displayName, original_password: originalPassword, ...same } = body;
      const actor = requireRole(ctx, ROLE.user);
      const { passwordChanged } = await updateSelf(ctx, { ...same, displayName, originalPassword });
      // Changing the password ends every session, so a browser gets a new one. Access tokens have no session.
      const cookies = passwordChanged && actor.via === "session" ? [await sessionCookie(request, actor)] : [];
      return new Reply({}, cookies);
    },
  }),
  route({
    method: "DELETE",
    path: "/self",
    access: "user",
    proof: true,
    handler: async ({ ctx, request }) => {
      await deleteSelf(ctx);
      return new Reply({}, [clearedCookie(request)]);
    },
  }),
  route({
    method: "GET",
    path: "/token",
    changes: true,
    access: "user",
    proof: true,
    handler: ({ ctx }) => createAccessToken(ctx),
  }),
  route({ method: "GET", path: "/models", access: "user", handler: ({ ctx }) => listUsableModels(ctx) }),
  route({
    method: "GET",
    path: "/self/groups",
    access: "user",
    handler: async ({ ctx }) => toWireUsableGroups(await listUsableGroups(ctx)),
  }),
  route({
    method: "GET",
    path: "/groups",
    access: "public",
    handler: async ({ ctx }) => toWireUsableGroups(await listUsableGroups(ctx)),
  }),
];

/** WxPusher's callback when a user has scanned a QR code. Its other actions are ignored. */
const scanSchema = z.object({
  action: z.string().max(64),
  data: z
    .object({ uid: z.string().max(64), extra: z.string().max(64) })
    .partial()
    .optional(),
});

/** Notification settings (contract §1.6) and the WxPusher callback. */
export const settingRoutes: readonly Route[] = [
  route({
    method: "PUT",
    path: "/setting",
    access: "user",
    body: userSettingSchema,
    handler: ({ ctx, body }) => saveUserSetting(ctx, body, confirmAddress),
  }),
  route({
    method: "POST",
    path: "/setting/wxpusher",
    access: "public",
    body: scanSchema,
    handler: async ({ ctx, body }) => {
      const { uid, extra } = body.data ?? {};
      if (body.action === "app_subscribe" && uid && extra) await receiveWxPusherScan(ctx, extra, uid);
    },
  }),
];

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
