import type { OAuthConfig } from "next-auth/providers/oauth";
import { findSessionActor } from "@/lib/auth/actor";
import { createSession, type SignInMethod } from "@/lib/auth/session-commands";
import { clientOf } from "@/lib/auth/session-cookie";
import { SESSION_COOKIE, type SessionClaims } from "@/lib/auth/session-token";
import { consoleDatabase } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { clientIpOf } from "@/lib/request/client-address";
import { cookieOf } from "@/lib/request/cookie";
import { publicAddressOf } from "@/lib/request/public-address";
import { type ExchangeOutcome, nextAuthProviders } from "./providers";
import { completeSignIn } from "./sign-in";
import { isCodeProvider, type OutsideIdentity } from "./types";

/** The part of next-auth's options that outside accounts fill in for one request. */
export type OutsideSignIn = {
  providers: OAuthConfig<OutsideIdentity>[];
  /** For next-auth's signIn callback: true to go on, or where to send the browser instead. */
  finish: (provider: string) => Promise<true | string>;
  /** The session that `finish` made, for next-auth's jwt callback. */
  claims: () => SessionClaims | null;
};

/**
 * Signing in by next-auth's own pages (/api/auth/signin/github): the providers, the linking of accounts and the session
 * are those of /api/oauth; only state and redirect are next-auth's.
 */
export async function outsideSignIn(request: Request): Promise<OutsideSignIn> {
  const { db, sql } = consoleDatabase();
  const options = await loadOptions(db);
  let outcome: ExchangeOutcome | null = null;
  let claims: SessionClaims | null = null;
  const address = publicAddressOf(options.ServerAddress, request.headers);
  const providers = await nextAuthProviders(options, address, (ended) => {
    outcome = ended;
  });

  async function complete(): Promise<true | string> {
    const ended: ExchangeOutcome | null = outcome;
    if (!ended) throw new Error("next-auth finished a sign-in that was never exchanged");
    if ("error" in ended) throw ended.error;
    const actor = await findSessionActor(db, cookieOf(request, SESSION_COOKIE));
    const ctx: ServiceContext = {
      db,
      sql,
      actor: actor ?? { type: "anonymous" },
      clientIp: clientIpOf(request.headers),
    };
    const done = await completeSignIn(ctx, ended.identity, "");
    if (done.type === "bound") return "/setting";
    const method: SignInMethod = ended.identity.provider;
    const session = await createSession(db, { userId: done.account.id, method, ...clientOf(request.headers) });
    claims = session.claims;
    return true;
  }

  async function finish(provider: string): Promise<true | string> {
    try {
      return await complete();
    } catch (error) {
      if (!(error instanceof AppError)) logger.error({ err: error, provider }, "a sign-in by next-auth failed");
      const reason = error instanceof AppError ? error.messageKey : "internal";
      return `/oauth/${isCodeProvider(provider) ? provider : "github"}?refused=${reason}`;
    }
  }
  return { providers, finish, claims: () => claims };
}
