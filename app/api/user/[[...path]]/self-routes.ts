import { z } from "zod";
import { ROLE, requireRole } from "@/lib/context";
import { listUsableGroups } from "@/lib/group/queries";
import { toWireUsableGroups } from "@/lib/group/wire";
import { userRow } from "@/lib/http/openapi/rows";
import { Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";
import { listUsableModels } from "@/lib/model/queries";
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
