import type { ServiceContext } from "@/lib/context";
import { randomAlphanumeric } from "@/lib/crypto";
import { loadOptions } from "@/lib/option/queries";
import { type CookieOptions, cookieOf } from "@/lib/request/cookie";
import { assertProviderOn } from "./flags";
import { CODE_EXCHANGES, redirectUriOf } from "./providers";
import { issueState } from "./state-commands";
import { isCodeProvider, type OutsideProvider } from "./types";

/** Ties states to the browser that asked for them. Not the session: who signs in has none yet. */
export const BROWSER_COOKIE = "oauth_browser";
const BROWSER_SECRET = /^[0-9A-Za-z]{43}$/;
const BROWSER_SECONDS = 3_600;

/** The value of the cookie when it is one of ours. */
export function knownBrowserSecret(value: string | undefined): string | undefined {
  return value !== undefined && BROWSER_SECRET.test(value) ? value : undefined;
}

export function browserSecretOf(request: Request): string | undefined {
  return knownBrowserSecret(cookieOf(request, BROWSER_COOKIE));
}

/** For a browser's first question. */
export function newBrowserSecret(): string {
  return randomAlphanumeric(43);
}

/** Lax: the browser comes back from the provider, and Telegram's widget, by following a link. */
export function browserCookieOptions(secure: boolean): CookieOptions {
  return { httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: BROWSER_SECONDS };
}

export type Begun = {
  state: string;
  /** The provider's authorize page; null when no provider with one was named. */
  url: string | null;
};

/** Begins a sign-in or a binding in a browser. Throws forbidden when the provider is off, unavailable when not set up. */
export async function beginSignIn(
  ctx: ServiceContext,
  given: { provider: OutsideProvider | null; aff: string; browser: string; publicAddress: string },
): Promise<Begun> {
  const { provider, aff, browser, publicAddress } = given;
  const options = await loadOptions(ctx.db);
  if (provider) assertProviderOn(options, provider);
  const userId = ctx.actor.type === "user" ? ctx.actor.id : null;
  const { state, codeChallenge, nonce } = await issueState(ctx.db, browser, { provider, aff, userId });
  if (!provider || !isCodeProvider(provider)) return { state, url: null };
  const redirectUri = redirectUriOf(publicAddress, provider);
  const url = await CODE_EXCHANGES[provider].authorizeUrl(options, { state, redirectUri, codeChallenge, nonce });
  return { state, url };
}
