import type { NextAuthOptions } from "next-auth";
import { decode, encode } from "next-auth/jwt";
import { sessionSecret } from "@/lib/auth/session-token";
import { callNextAuth, type NextAuthAnswer, type NextAuthCall } from "./call-next-auth";
import type { CheckCookies } from "./state-commands";
import type { CodeProvider } from "./types";

/** next-auth's names of its check cookies when they are not marked secure. These cookies never reach a browser. */
const STATE_COOKIE = "next-auth.state";
const CHECK_COOKIES = [STATE_COOKIE, "next-auth.pkce.code_verifier", "next-auth.nonce"];
const RETURN_SECONDS = 60;

type InnerCall = Pick<NextAuthCall, "path"> & Partial<NextAuthCall>;

/** A call without a browser: the calling function keeps the cookies. */
function ask(options: NextAuthOptions, publicAddress: string, call: InnerCall): Promise<NextAuthAnswer> {
  const { protocol, host } = new URL(publicAddress);
  const headers = { host, "x-forwarded-proto": protocol.slice(0, -1) };
  const inner = { method: "GET", query: {}, form: {}, cookies: {}, headers, ...call };
  return callNextAuth({ ...options, useSecureCookies: false }, inner);
}

function cookiesIn({ headers }: NextAuthAnswer): Record<string, string> {
  return Object.fromEntries(
    headers.getSetCookie().map((line) => {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      return [name, decodeURIComponent(value)];
    }),
  );
}

export type NextAuthBegun = { url: string; state: string; checkCookies: CheckCookies };

/**
 * Calls next-auth's signIn for a provider of its options. Returns the authorize page and the cookies that belong to the
 * state.
 */
export async function beginAtNextAuth(
  options: NextAuthOptions,
  publicAddress: string,
  provider: CodeProvider,
): Promise<NextAuthBegun> {
  const csrf = await ask(options, publicAddress, { path: ["csrf"] });
  const { csrfToken } = JSON.parse(csrf.body ?? "{}") as { csrfToken?: string };
  const begun = await ask(options, publicAddress, {
    path: ["signin", provider],
    method: "POST",
    form: { csrfToken },
    cookies: cookiesIn(csrf),
  });
  const url = begun.headers.get("location") ?? "";
  const state = URL.canParse(url) ? new URL(url).searchParams.get("state") : null;
  const kept = Object.entries(cookiesIn(begun)).filter(([name]) => CHECK_COOKIES.includes(name));
  const checkCookies = Object.fromEntries(kept);
  if (!state || !checkCookies[STATE_COOKIE]) throw new Error(`next-auth did not begin a sign-in by ${provider}`);
  return { url, state, checkCookies };
}

/** Calls next-auth's callback with what the browser returned. Returns the Set-Cookie headers of this name. */
export async function finishAtNextAuth(
  options: NextAuthOptions,
  publicAddress: string,
  returned: { provider: CodeProvider; query: Record<string, string>; checkCookies: CheckCookies },
  cookieName: string,
): Promise<string[]> {
  const { provider, query, checkCookies: cookies } = returned;
  const answer = await ask(options, publicAddress, { path: ["callback", provider], query, cookies });
  return answer.headers.getSetCookie().filter((line) => line.startsWith(`${cookieName}=`));
}

/** The cookie that next-auth would have set for a state that was created before the provider was known. */
export async function stateCookieFor(provider: CodeProvider, state: string): Promise<CheckCookies> {
  const value = await encode({
    token: { value: state, provider },
    secret: sessionSecret(),
    salt: STATE_COOKIE,
    maxAge: RETURN_SECONDS,
  });
  return { [STATE_COOKIE]: value };
}

/** Whether a state belongs to a sign-in from next-auth's own page, whose cookies are in the browser. */
export async function isBegunInBrowser(
  state: string | undefined,
  cookies: readonly { name: string; value: string }[],
): Promise<boolean> {
  for (const { name, value } of cookies) {
    if (name !== STATE_COOKIE && name !== `__Secure-${STATE_COOKIE}`) continue;
    const kept = await decode({ token: value, secret: sessionSecret(), salt: name }).catch(() => null);
    if (state !== undefined && kept?.value === state) return true;
  }
  return false;
}
