import { z } from "zod";
import { loginByPassword } from "@/lib/auth/login";
import { endSessionOf } from "@/lib/auth/session-commands";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { loginByCode } from "@/lib/auth/ticket-commands";
import { toWireTicket } from "@/lib/auth/wire";
import { replyMessage } from "@/lib/http/message";
import { Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";
import { requireHuman } from "@/lib/registration/turnstile";
import { cookieOf } from "@/lib/request/cookie";
import { toWireSignedIn } from "@/lib/user/wire";
import { clearedCookie, sessionCookie } from "./session-cookie";

/** The Turnstile token in the query (A185). requireHuman decides whether it is required. */
export const humanQuery = z.object({ turnstile: z.string().optional() });

const login = z.object({
  username: z.string("credentialsMissing"),
  password: z.string("credentialsMissing"),
  /** A code of the authenticator or a recovery code, for programs that sign in with one call. */
  code: z.string().trim().max(64, "factorCodeWrong").nullish(),
});

const secondStep = z.object({
  ticket: z.string("ticketInvalid").max(128, "ticketInvalid"),
  code: z.string("factorCodeWrong").trim().min(1, "factorCodeMissing").max(64, "factorCodeWrong"),
});

export const sessionRoutes: readonly Route[] = [
  route({
    method: "POST",
    path: "/login",
    access: "public",
    limit: "critical",
    query: humanQuery,
    body: login,
    handler: async ({ ctx, request, query, body }) => {
      const human = await requireHuman(ctx, query.turnstile);
      const { code, ...credentials } = body;
      const step = await loginByPassword(ctx.db, { ...credentials, ip: ctx.clientIp, human });
      if (!step.done && code) {
        const account = await loginByCode(ctx.db, { ticket: step.ticket.ticket, code, clientIp: ctx.clientIp });
        return new Reply({ data: toWireSignedIn(account) }, [await sessionCookie(request, account)]);
      }
      // No session or cookie before the second factor. The client continues at /login/2fa or /passkey/login.
      if (!step.done) {
        const message = replyMessage(request, "secondFactorNeeded");
        return new Reply({ success: false, message, data: toWireTicket(step.ticket) });
      }
      return new Reply({ data: toWireSignedIn(step.account) }, [await sessionCookie(request, step.account)]);
    },
  }),
  route({
    method: "POST",
    path: "/login/2fa",
    access: "public",
    limit: "critical",
    body: secondStep,
    handler: async ({ ctx, request, body }) => {
      const account = await loginByCode(ctx.db, { ...body, clientIp: ctx.clientIp });
      return new Reply({ data: toWireSignedIn(account) }, [await sessionCookie(request, account)]);
    },
  }),
  route({
    method: "GET",
    path: "/logout",
    changes: true,
    access: "public",
    handler: async ({ ctx, request }) => {
      await endSessionOf(ctx.db, cookieOf(request, SESSION_COOKIE));
      return new Reply({}, [clearedCookie(request)]);
    },
  }),
];
