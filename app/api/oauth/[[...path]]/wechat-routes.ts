import { z } from "zod";
import type { ServiceContext } from "@/lib/context";
import { type Route, route } from "@/lib/http/route";
import { completeSignIn } from "@/lib/oauth/complete";
import { assertProviderOn } from "@/lib/oauth/flags";
import { bindIdentity } from "@/lib/oauth/identity-commands";
import { identifyByWechatCode } from "@/lib/oauth/wechat";
import { loadOptions } from "@/lib/option/queries";
import { signInReply } from "./completed";

const query = z.object({
  code: z.string().max(1_000, "wechatCodeWrong").optional(),
  aff: z.string().max(64).optional(),
});

async function identify(ctx: ServiceContext, code: string) {
  const options = await loadOptions(ctx.db);
  assertProviderOn(options, "wechat");
  return identifyByWechatCode(options, code);
}

/** Signs in or binds with the code that the WeChat account sends to the user. */
export const wechatRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/wechat",
    changes: true,
    access: "public",
    limit: "critical",
    query,
    handler: async ({ ctx, request, query: { code = "", aff = "" } }) => {
      const identity = await identify(ctx, code);
      return signInReply(ctx, request, "wechat", await completeSignIn(ctx, identity, aff));
    },
  }),
  route({
    method: "GET",
    path: "/wechat/bind",
    changes: true,
    access: "user",
    limit: "critical",
    proof: true,
    query,
    handler: async ({ ctx, query: { code = "" } }) => bindIdentity(ctx, await identify(ctx, code)),
  }),
];
