import { z } from "zod";
import { loginByPassword } from "@/lib/auth/login";
import { findAccount } from "@/lib/auth/queries";
import { encodeSession, SESSION_COOKIE, sessionCookieOptions } from "@/lib/auth/session-token";
import { AppError } from "@/lib/errors";
import { listUsableGroups } from "@/lib/group/queries";
import { toWireUsableGroups } from "@/lib/group/wire";
import { isSecureRequest } from "@/lib/http/client-address";
import { toSetCookie } from "@/lib/http/cookie";
import { Reply } from "@/lib/http/reply";
import { defineRoutes, route } from "@/lib/http/route";
import { listUsableModels } from "@/lib/model/queries";
import { createAccessToken, deleteSelf, manageUser, updateSelf } from "@/lib/user/commands";
import { getSelf } from "@/lib/user/queries";
import { manageUserSchema } from "@/lib/user/schemas";
import { toWireSignedIn, toWireUser } from "@/lib/user/wire";

const login = z.object({ username: z.string("credentialsMissing"), password: z.string("credentialsMissing") });
const self = z.object({
  username: z.string().optional(),
  display_name: z.string().optional(),
  password: z.string().optional(),
  original_password: z.string().optional(),
});

async function sessionCookie(request: Request, account: { id: number; sessionVersion: number }): Promise<string> {
  const value = await encodeSession({ uid: account.id, sv: account.sessionVersion });
  return toSetCookie(SESSION_COOKIE, value, sessionCookieOptions(isSecureRequest(request.headers)));
}

function clearedCookie(request: Request): string {
  return toSetCookie(SESSION_COOKIE, "", { ...sessionCookieOptions(isSecureRequest(request.headers)), maxAge: 0 });
}

export const { GET, POST, PUT, DELETE } = defineRoutes([
  route({
    method: "POST",
    path: "/login",
    access: "public",
    body: login,
    handler: async ({ ctx, request, body }) => {
      const account = await loginByPassword(ctx.db, { ...body, ip: ctx.clientIp });
      return new Reply({ data: toWireSignedIn(account) }, [await sessionCookie(request, account)]);
    },
  }),
  route({
    method: "GET",
    path: "/logout",
    access: "public",
    handler: async ({ request }) => {
      // An image on another site must not sign the reader out.
      if (request.headers.get("sec-fetch-site") === "cross-site") throw new AppError("forbidden", "crossSite");
      return new Reply({}, [clearedCookie(request)]);
    },
  }),
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
    body: self,
    handler: async ({ ctx, request, body }) => {
      const { display_name: displayName, original_password: originalPassword, ...same } = body;
      const actor = await getSelf(ctx);
      const unchanged = same.username === actor.username ? { ...same, username: undefined } : same;
      const { passwordChanged } = await updateSelf(ctx, { ...unchanged, displayName, originalPassword });
      const account = passwordChanged ? await findAccount(ctx.db, actor.id) : null;
      return new Reply({}, account ? [await sessionCookie(request, account)] : []);
    },
  }),
  route({
    method: "DELETE",
    path: "/self",
    access: "user",
    handler: async ({ ctx, request }) => {
      await deleteSelf(ctx);
      return new Reply({}, [clearedCookie(request)]);
    },
  }),
  route({ method: "GET", path: "/token", access: "user", handler: ({ ctx }) => createAccessToken(ctx) }),
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
  route({
    method: "POST",
    path: "/manage",
    access: "admin",
    body: manageUserSchema,
    handler: async ({ ctx, body }) => {
      const { role, status } = await manageUser(ctx, body);
      return { role, status };
    },
  }),
]);
