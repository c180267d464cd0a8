import { z } from "zod";
import { defineRoutes, type Route, route } from "@/lib/http/route";
import { unbindProvider } from "@/lib/oauth/identity-commands";
import { OUTSIDE_PROVIDERS } from "@/lib/oauth/types";
import { bindEmail } from "@/lib/registration/commands";
import { codeRoutes } from "./code-routes";
import { telegramRoutes } from "./telegram-routes";
import { wechatRoutes } from "./wechat-routes";

/** DELETE /api/oauth/{provider} unlinks an external account. */
const unbindRoutes: readonly Route[] = OUTSIDE_PROVIDERS.map((provider) =>
  route({
    method: "DELETE",
    path: `/${provider}`,
    access: "user",
    proof: true,
    handler: ({ ctx }) => unbindProvider(ctx, { provider }),
  }),
);

/** Binds an e-mail address with the code sent by GET /api/verification (contract §1.3). */
const emailRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/email/bind",
    changes: true,
    access: "user",
    limit: "critical",
    proof: true,
    query: z.object({ email: z.string().default(""), code: z.string().default("") }),
    handler: ({ ctx, query }) => bindEmail(ctx, query),
  }),
];

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([
  ...codeRoutes,
  ...wechatRoutes,
  ...telegramRoutes,
  ...emailRoutes,
  ...unbindRoutes,
]);
