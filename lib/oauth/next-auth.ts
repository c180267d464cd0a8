import type { NextAuthOptions } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import type { OAuthConfig } from "next-auth/providers/oauth";
import { findSessionActor } from "@/lib/auth/actor";
import { loginByPassword } from "@/lib/auth/login";
import { findAccount } from "@/lib/auth/queries";
import { createSession, revokeSession } from "@/lib/auth/session-commands";
import { clientOf } from "@/lib/auth/session-cookie";
import {
  decodeSession,
  encodeSession,
  SESSION_COOKIE,
  SESSION_MAX_AGE_SECONDS,
  type SessionClaims,
  sessionCookieOptions,
  sessionSecret,
  toSessionClaims,
} from "@/lib/auth/session-token";
import { loginByCode } from "@/lib/auth/ticket-commands";
import { consoleDatabase } from "@/lib/console-database";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { requireHuman } from "@/lib/registration/turnstile";
import { clientIpOf, isSecureRequest } from "@/lib/request/client-address";

// The gateway sets x-forwarded-host itself, so URLs made from it have the host that the user requested.
process.env.AUTH_TRUST_HOST ??= "1";

/** The part of next-auth's options that a sign-in with an external account supplies for one request. */
export type OutsideSignIn = {
  providers: OAuthConfig<Record<string, unknown>>[];
  /** For next-auth's signIn callback: true to continue, false when refused, or a URL to redirect to. */
  finish: () => Promise<boolean | string>;
  /** The session that `finish` created, for next-auth's jwt callback. */
  claims: () => SessionClaims | null;
};

/** Logs codes only: next-auth's errors contain states and verifiers. The reason of a refusal is logged where it occurs. */
const nextAuthLogger: NonNullable<NextAuthOptions["logger"]> = {
  error: (code) => logger.warn({ code }, "next-auth refused a sign-in"),
  warn: (code) => logger.warn({ code }, "next-auth warns of its configuration"),
  debug: () => {},
};

/** Signing in by password in next-auth's own way; the second factor's code comes along or is asked for. */
function passwordProvider(headers: Headers) {
  const { db, sql } = consoleDatabase();
  return CredentialsProvider({
    credentials: {
      username: { type: "text" },
      password: { type: "password" },
      code: { type: "text" },
      turnstile: { type: "text" },
    },
    async authorize(credentials) {
      const { username = "", password = "", code = "", turnstile } = credentials ?? {};
      try {
        const clientIp = clientIpOf(headers);
        const human = await requireHuman({ db, sql, actor: { type: "anonymous" }, clientIp }, turnstile);
        const step = await loginByPassword(db, { username, password, ip: clientIp, human });
        // next-auth's sign-in form has no second step: the form sends the second factor's code too, or shows again
        // to ask for it.
        if (!step.done && code === "") throw new AppError("invalid", "secondFactorNeeded");
        const account = step.done
          ? step.account
          : await loginByCode(db, { ticket: step.ticket.ticket, code, clientIp });
        return { id: String(account.id), name: account.username };
      } catch (error) {
        // next-auth shows the text of an error, so only the message key is passed on.
        if (error instanceof AppError) throw new Error(error.messageKey);
        throw error;
      }
    },
  });
}

/** next-auth with the session cookie that /api and the pages use too. `outside` adds the providers of external accounts. */
export function authOptions(headers: Headers, outside?: OutsideSignIn): NextAuthOptions {
  const { db } = consoleDatabase();
  const signIn = async (userId: number) =>
    (await createSession(db, { userId, method: "password", ...clientOf(headers) })).claims;
  return {
    secret: sessionSecret(),
    logger: nextAuthLogger,
    pages: { signIn: "/login", error: "/login" },
    session: { strategy: "jwt", maxAge: SESSION_MAX_AGE_SECONDS },
    cookies: { sessionToken: { name: SESSION_COOKIE, options: sessionCookieOptions(isSecureRequest(headers)) } },
    providers: [passwordProvider(headers), ...(outside?.providers ?? [])],
    jwt: {
      maxAge: SESSION_MAX_AGE_SECONDS,
      encode: async ({ token }) => {
        const claims = toSessionClaims(token);
        return claims ? encodeSession(claims) : "";
      },
      decode: async ({ token }) => {
        if (!token || !(await findSessionActor(db, token))) return null;
        const claims = await decodeSession(token);
        return claims && { ...claims };
      },
    },
    events: {
      signOut: async ({ token }) => {
        const claims = toSessionClaims(token);
        if (claims) await revokeSession(db, claims);
      },
    },
    callbacks: {
      signIn: async ({ account }) =>
        account?.type === "oauth" && outside ? outside.finish() : account?.type === "credentials",
      jwt: async ({ token, user, account }) => {
        if (!user) return token;
        return { ...(account?.type === "oauth" ? outside?.claims() : await signIn(Number(user.id))) };
      },
      session: async ({ session, token }) => {
        const account = typeof token.uid === "number" ? await findAccount(db, token.uid) : null;
        return { ...session, user: { id: token.uid, name: account?.username ?? null } };
      },
    },
  };
}
