import type { ServiceContext } from "@/lib/context";
import { randomAlphanumeric } from "@/lib/crypto";
import { loadOptions } from "@/lib/option/queries";
import { type CookieOptions, cookieOf } from "@/lib/request/cookie";
import { publicAddressOf } from "@/lib/request/public-address";
import { startAttempt } from "./attempt";
import { assertProviderOn } from "./flags";
import { authOptions } from "./next-auth";
import { beginAtNextAuth } from "./next-auth-flow";
import { keepState } from "./state-commands";
import { isCodeProvider, type OutsideProvider } from "./types";

/** Ties states to a browser. Not the session cookie: a user who signs in has no session yet. */
export const BROWSER_COOKIE = "oauth_browser";
const BROWSER_SECRET = /^[0-9A-Za-z]{43}$/;
const BROWSER_SECONDS = 3_600;
const STATE_LENGTH = 32;

/** The value of the cookie if it has the right format. */
export function knownBrowserSecret(value: string | undefined): string | undefined {
  return value !== undefined && BROWSER_SECRET.test(value) ? value : undefined;
}

export function browserSecretOf(request: Request): string | undefined {
  return knownBrowserSecret(cookieOf(request, BROWSER_COOKIE));
}

export function newBrowserSecret(): string {
  return randomAlphanumeric(43);
}

/** Lax: the browser returns from the provider, or from Telegram's widget, by following a link. */
export function browserCookieOptions(secure: boolean): CookieOptions {
  return { httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: BROWSER_SECONDS };
}

export type Begun = {
  state: string;
  /** The provider's authorize page; null without a provider that has one. */
  url: string | null;
};

/**
 * Begins a sign-in or a binding: by next-auth's signIn for a provider with an authorize page, else with a state of
 * Weir's own. Throws forbidden when the provider is off, unavailable when not configured.
 */
export async function beginSignIn(
  ctx: ServiceContext,
  given: { provider: OutsideProvider | null; aff: string; browser: string; headers: Headers },
): Promise<Begun> {
  const { provider, aff, browser, headers } = given;
  const options = await loadOptions(ctx.db);
  if (provider) assertProviderOn(options, provider);
  const purpose = { provider, aff, userId: ctx.actor.type === "user" ? ctx.actor.id : null };
  if (!provider || !isCodeProvider(provider)) {
    const state = randomAlphanumeric(STATE_LENGTH);
    await keepState(ctx.db, { state, browser, purpose, checkCookies: {} });
    return { state, url: null };
  }
  const publicAddress = publicAddressOf(options.ServerAddress, headers);
  const attempt = await startAttempt(ctx, { provider, options, publicAddress, headers, aff });
  const { url, state, checkCookies } = await beginAtNextAuth(authOptions(headers, attempt), publicAddress, provider);
  await keepState(ctx.db, { state, browser, purpose, checkCookies });
  return { state, url };
}
