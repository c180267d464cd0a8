import { z } from "zod";
import { type Route, route } from "@/lib/http/route";
import { userSettingSchema } from "@/lib/notify/schemas";
import { saveUserSetting } from "@/lib/notify/setting-commands";
import { receiveWxPusherScan } from "@/lib/notify/wxpusher-binding-commands";
import { confirmAddress } from "@/lib/registration/confirm-address-commands";

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
