import { z } from "zod";
import { getOwnFactors } from "@/lib/auth/factor-queries";
import { authenticationResponseSchema, registrationResponseSchema } from "@/lib/auth/passkey";
import {
  deletePasskey,
  finishPasskeyRegistration,
  renamePasskey,
  startPasskeyRegistration,
} from "@/lib/auth/passkey-commands";
import { finishPasskeyLogin, startPasskeyLogin } from "@/lib/auth/passkey-proof-commands";
import { relyingPartyOf } from "@/lib/auth/relying-party";
import { resetFactors } from "@/lib/auth/reset-factors-commands";
import { revokeOtherSessions, revokeOwnSession } from "@/lib/auth/session-commands";
import { listOwnSessions } from "@/lib/auth/session-queries";
import {
  confirmByCode,
  confirmByPassword,
  finishPasskeyConfirmation,
  listStepUpKinds,
  startPasskeyConfirmation,
} from "@/lib/auth/step-up-commands";
import { disableTotp, enableTotp, renewRecoveryCodes, startTotpSetup } from "@/lib/auth/totp-commands";
import { toWireFactors, toWirePasskey, toWireSession } from "@/lib/auth/wire";
import type { ServiceContext } from "@/lib/context";
import { Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";
import { toWireSignedIn } from "@/lib/user/wire";
import { sessionCookie } from "./session-cookie";

const code = z.string("factorCodeWrong").trim().min(1, "factorCodeMissing").max(64, "factorCodeWrong");
const ticket = z.string("ticketInvalid").max(128, "ticketInvalid").optional();
const passkeyId = z.string("passkeyNotFound").min(1, "passkeyNotFound").max(2_048, "passkeyNotFound");
const sessionId = z.string("sessionNotFound").pipe(z.uuid("sessionNotFound"));
const confirmation = z.union([z.object({ password: z.string().min(1).max(256) }), z.object({ code })], {
  error: "confirmationMissing",
});

function partyOf(ctx: ServiceContext, request: Request) {
  return relyingPartyOf(ctx.db, request.headers);
}

/** Sign-in by passkey, alone or as the second factor of a ticket. */
const passkeyLoginRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/passkey/login/begin",
    access: "public",
    body: z.object({ ticket }),
    handler: async ({ ctx, request, body }) =>
      startPasskeyLogin(ctx.db, await partyOf(ctx, request), { ticket: body.ticket, clientIp: ctx.clientIp }),
  }),
  route({
    method: "POST",
    path: "/passkey/login/finish",
    access: "public",
    limit: "critical",
    body: z.object({ ticket, response: authenticationResponseSchema }),
    handler: async ({ ctx, request, body }) => {
      const account = await finishPasskeyLogin(ctx.db, await partyOf(ctx, request), body);
      // With a ticket the password was checked first. The session's method is then "password".
      const method = body.ticket === undefined ? "passkey" : "password";
      return new Reply({ data: toWireSignedIn(account) }, [await sessionCookie(request, account, method)]);
    },
  }),
];

const passkeyRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/passkey",
    access: "user",
    handler: async ({ ctx }) => (await getOwnFactors(ctx)).passkeys.map(toWirePasskey),
  }),
  route({
    method: "POST",
    path: "/passkey/register/begin",
    access: "user",
    proof: true,
    handler: async ({ ctx, request }) => startPasskeyRegistration(ctx, await partyOf(ctx, request)),
  }),
  route({
    method: "POST",
    path: "/passkey/register/finish",
    access: "user",
    proof: true,
    body: z.object({ name: z.string("passkeyNameInvalid"), response: registrationResponseSchema }),
    handler: async ({ ctx, request, body }) =>
      toWirePasskey(await finishPasskeyRegistration(ctx, await partyOf(ctx, request), body)),
  }),
  route({
    method: "PUT",
    path: "/passkey",
    access: "user",
    body: z.object({ id: passkeyId, name: z.string("passkeyNameInvalid") }),
    handler: ({ ctx, body }) => renamePasskey(ctx, body),
  }),
  route({
    method: "DELETE",
    path: "/passkey",
    access: "user",
    proof: true,
    query: z.object({ id: passkeyId }),
    handler: ({ ctx, query }) => deletePasskey(ctx, query),
  }),
];

const factorRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/2fa",
    access: "user",
    handler: async ({ ctx }) => toWireFactors(await getOwnFactors(ctx)),
  }),
  route({
    method: "POST",
    path: "/2fa/setup",
    access: "user",
    proof: true,
    handler: async ({ ctx }) => {
      const { secret, address, qrCode } = await startTotpSetup(ctx);
      return { secret, uri: address, qr_code: qrCode };
    },
  }),
  route({
    method: "POST",
    path: "/2fa/enable",
    access: "user",
    proof: true,
    body: z.object({ code }),
    handler: async ({ ctx, body }) => ({ recovery_codes: await enableTotp(ctx, body) }),
  }),
  route({ method: "POST", path: "/2fa/disable", access: "user", proof: true, handler: ({ ctx }) => disableTotp(ctx) }),
  route({
    method: "POST",
    path: "/2fa/recovery_codes",
    access: "user",
    proof: true,
    handler: async ({ ctx }) => ({ recovery_codes: await renewRecoveryCodes(ctx) }),
  }),
  route({
    method: "DELETE",
    path: "/:id/2fa",
    access: "admin",
    proof: true,
    handler: async ({ ctx, id }) => {
      await resetFactors(ctx, { id });
    },
  }),
];

/** Step-up: proof that the owner is at the browser, as step_up_required asks for. */
const confirmationRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/confirm",
    access: "user",
    handler: async ({ ctx }) => ({ methods: await listStepUpKinds(ctx) }),
  }),
  route({
    method: "POST",
    path: "/confirm",
    access: "user",
    body: confirmation,
    handler: ({ ctx, body }) => ("password" in body ? confirmByPassword(ctx, body) : confirmByCode(ctx, body)),
  }),
  route({
    method: "POST",
    path: "/confirm/passkey/begin",
    access: "user",
    handler: async ({ ctx, request }) => startPasskeyConfirmation(ctx, await partyOf(ctx, request)),
  }),
  route({
    method: "POST",
    path: "/confirm/passkey/finish",
    access: "user",
    body: z.object({ response: authenticationResponseSchema }),
    handler: async ({ ctx, request, body }) => finishPasskeyConfirmation(ctx, await partyOf(ctx, request), body),
  }),
];

const sessionListRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/session",
    access: "user",
    handler: async ({ ctx }) => (await listOwnSessions(ctx)).map(toWireSession),
  }),
  route({
    method: "DELETE",
    path: "/session",
    access: "user",
    query: z.object({ id: sessionId }),
    handler: ({ ctx, query }) => revokeOwnSession(ctx, query),
  }),
  route({
    method: "POST",
    path: "/session/revoke_others",
    access: "user",
    handler: ({ ctx }) => revokeOtherSessions(ctx),
  }),
];

export const securityRoutes: readonly Route[] = [
  ...passkeyLoginRoutes,
  ...passkeyRoutes,
  ...factorRoutes,
  ...confirmationRoutes,
  ...sessionListRoutes,
];
