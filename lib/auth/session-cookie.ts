import type { Database } from "@/db/client";
import { clientIpOf, isSecureRequest } from "@/lib/request/client-address";
import { toSetCookie } from "@/lib/request/cookie";
import { createSession, type SignInMethod } from "./session-commands";
import { SESSION_COOKIE, sessionCookieOptions } from "./session-token";

/** Client address and user agent of a sign-in, for the list of sessions. */
export function clientOf(headers: Headers): { clientIp: string; userAgent: string } {
  return { clientIp: clientIpOf(headers), userAgent: headers.get("user-agent") ?? "" };
}

/** Creates a session for the client of this request and returns its Set-Cookie header. */
export async function signInCookie(
  db: Database,
  request: Request,
  signIn: { userId: number; method: SignInMethod },
): Promise<string> {
  const { token } = await createSession(db, { ...signIn, ...clientOf(request.headers) });
  return toSetCookie(SESSION_COOKIE, token, sessionCookieOptions(isSecureRequest(request.headers)));
}

/** The Set-Cookie header that removes the session cookie. */
export function clearedSessionCookie(headers: Headers): string {
  return toSetCookie(SESSION_COOKIE, "", { ...sessionCookieOptions(isSecureRequest(headers)), maxAge: 0 });
}
