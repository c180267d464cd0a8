import type { NextAuthOptions } from "next-auth";
import CredentialsProvider from "next-auth/providers/credentials";
import { AppError } from "@/lib/errors";
import { clientIpOf, isSecureRequest } from "@/lib/http/client-address";
import { consoleDatabase } from "@/lib/http/database";
import { findSessionActor } from "./actor";
import { loginByPassword } from "./login";
import { findAccount } from "./queries";
import {
  decodeSession,
  encodeSession,
  SESSION_COOKIE,
  SESSION_MAX_AGE_SECONDS,
  sessionCookieOptions,
  sessionSecret,
} from "./session-token";

// The gateway sets x-forwarded-host itself, so that addresses made from it are the ones the reader came by.
process.env.AUTH_TRUST_HOST ??= "1";

/** next-auth over the one session cookie: what it sets, /api and the pages accept, and the other way round. */
export function authOptions(headers: Headers): NextAuthOptions {
  const { db } = consoleDatabase();
  return {
    secret: sessionSecret(),
    pages: { signIn: "/login" },
    session: { strategy: "jwt", maxAge: SESSION_MAX_AGE_SECONDS },
    cookies: { sessionToken: { name: SESSION_COOKIE, options: sessionCookieOptions(isSecureRequest(headers)) } },
    providers: [
      CredentialsProvider({
        credentials: { username: { type: "text" }, password: { type: "password" } },
        async authorize(credentials) {
          const { username = "", password = "" } = credentials ?? {};
          try {
            const account = await loginByPassword(db, { username, password, ip: clientIpOf(headers) });
            return { id: String(account.id), name: account.username, sv: account.sessionVersion };
          } catch (error) {
            // next-auth shows the text of an error; the key of ours says no more than the message would.
            if (error instanceof AppError) throw new Error(error.messageKey);
            throw error;
          }
        },
      }),
    ],
    jwt: {
      maxAge: SESSION_MAX_AGE_SECONDS,
      encode: async ({ token }) => {
        const { uid, sv } = token ?? {};
        return typeof uid === "number" && typeof sv === "number" ? encodeSession({ uid, sv }) : "";
      },
      decode: async ({ token }) => {
        if (!token || !(await findSessionActor(db, token))) return null;
        const claims = await decodeSession(token);
        return claims && { ...claims };
      },
    },
    callbacks: {
      jwt: async ({ token, user }) => (user && "sv" in user ? { uid: Number(user.id), sv: user.sv } : token),
      session: async ({ session, token }) => {
        const account = typeof token.uid === "number" ? await findAccount(db, token.uid) : null;
        return { ...session, user: { id: token.uid, name: account?.username ?? null } };
      },
    },
  };
}
