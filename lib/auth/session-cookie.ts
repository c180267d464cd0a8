import type { Database } from "@/db/client";
import { clientIpOf, isSecureRequest } from "@/lib/request/client-address";
import { toSetCookie } from "@/lib/request/cookie";
import { createSession, type SignInMethod } from "./session-commands";
import { SESSION_COOKIE, sessionCookieOptions } from "./session-token";

/** Where a sign-in comes from, for the list of sessions. */
export function clientOf(headers: Headers): { clientIp: string; userAgent: string } {
  return { clientIp: clientIpOf(headers), userAgent: headers.get("user-agent") ?? "" };
}

/** Makes a session for the browser of this request and answers the Set-Cookie header that signs it in. */
export async function signInCookie(
  db: Database,
  request: Request,
  signIn: { userId: number; method: SignInMethod },
): Promise<string> {
  const { token } = await createSession(db, { ...signIn, ...clientOf(request.headers) });
  return toSetCookie(SESSION_COOKIE, token, sessionCookieOptions(isSecureRequest(request.headers)));
}

/** The Set-Cookie header that takes the session cookie from a browser. */
export function clearedSessionCookie(headers: Headers): string {
  return toSetCookie(SESSION_COOKIE, "", { ...sessionCookieOptions(isSecureRequest(headers)), maxAge: 0 });
}
