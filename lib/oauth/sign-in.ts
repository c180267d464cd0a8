import { SESSION_COOKIE } from "@/lib/auth/session-token";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { publicAddressOf } from "@/lib/request/public-address";
import { startAttempt } from "./attempt";
import type { Completed } from "./complete";
import { assertProviderOn } from "./flags";
import { authOptions } from "./next-auth";
import { finishAtNextAuth, stateCookieFor } from "./next-auth-flow";
import { stateMismatch } from "./refusals";
import { type SpentState, spendState } from "./state-commands";
import type { CodeProvider } from "./types";

export type CodeReturn = {
  provider: CodeProvider;
  code: string;
  state: string;
  /** The issuer named by the provider (RFC 9207), if it does. */
  iss: string | undefined;
  /** The secret in this browser's cookie, if it has one. */
  browser: string | undefined;
  headers: Headers;
};

/** `setCookies` sign the browser in; empty for a binding. */
export type CompletedByCode = { completed: Completed; setCookies: string[] };

/**
 * Passes what the browser brings back from a provider's authorize page to next-auth's callback. Throws forbidden when
 * the provider is off or the state is from another browser, "invalid" or "upstream" from the exchange, and the errors
 * of binding or signing in.
 */
export async function completeByCode(ctx: ServiceContext, given: CodeReturn): Promise<CompletedByCode> {
  const { provider, code, state, iss, browser, headers } = given;
  const options = await loadOptions(ctx.db);
  assertProviderOn(options, provider);
  // OpenID Connect needs a nonce, which only a sign-in that was begun for this provider has.
  const spent = await spendState(ctx.db, { state, browser, provider, isBound: provider === "oidc" });
  assertSameActor(ctx, spent);
  if (code === "") throw new AppError("invalid", "oauthCodeMissing");
  const publicAddress = publicAddressOf(options.ServerAddress, headers);
  const wasBegun = spent.provider !== null;
  const attempt = await startAttempt(ctx, {
    provider,
    options,
    publicAddress,
    headers,
    aff: spent.aff,
    ...(wasBegun ? {} : { checks: ["state"] }),
  });
  const returned = {
    provider,
    query: { code, state, ...(iss ? { iss } : {}) },
    checkCookies: wasBegun ? spent.checkCookies : await stateCookieFor(provider, state),
  };
  const setCookies = await finishAtNextAuth(authOptions(headers, attempt), publicAddress, returned, SESSION_COOKIE);
  return { completed: attempt.result(), setCookies };
}

/**
 * One user must not finish what another began: a binding whose session has ended must not create a new account, and a sign-in must not
 * bind its account to somebody who has signed in meanwhile.
 */
function assertSameActor(ctx: ServiceContext, spent: SpentState): void {
  if (spent.userId === null && ctx.actor.type === "user") throw stateMismatch();
  if (spent.userId === null) return;
  if (ctx.actor.type !== "user") throw new AppError("unauthenticated", "notSignedIn");
  if (ctx.actor.id !== spent.userId) throw stateMismatch();
}
