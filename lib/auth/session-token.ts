import { hkdfSync } from "node:crypto";
import { decode, encode } from "next-auth/jwt";
import { secretText } from "@/lib/env";

export const SESSION_COOKIE = "session";
/** 30 days, contract §1.2. */
export const SESSION_MAX_AGE_SECONDS = 2_592_000;

/**
 * The content of a session cookie: user id, session_version at sign-in and session id. Everything else is read from the
 * database.
 */
export type SessionClaims = { uid: number; sv: number; sid: string };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The secret of next-auth, derived from WEIR_SECRET so that no second one must be configured. */
export function sessionSecret(): string {
  const secret = secretText();
  return Buffer.from(hkdfSync("sha256", secret, "weir", "session v1", 32)).toString("base64url");
}

export function encodeSession(claims: SessionClaims): Promise<string> {
  return encode({
    token: { uid: claims.uid, sv: claims.sv, sid: claims.sid },
    secret: sessionSecret(),
    maxAge: SESSION_MAX_AGE_SECONDS,
  });
}

/** The claims of a cookie; null when it is altered, expired or not from Weir. */
export async function decodeSession(cookie: string): Promise<SessionClaims | null> {
  try {
    return toSessionClaims(await decode({ token: cookie, secret: sessionSecret() }));
  } catch {
    return null;
  }
}

/** The claims in a decoded token; null when one is missing. */
export function toSessionClaims(token: Record<string, unknown> | null | undefined): SessionClaims | null {
  const { uid, sv, sid } = token ?? {};
  const whole = typeof uid === "number" && typeof sv === "number" && typeof sid === "string" && UUID.test(sid);
  return whole ? { uid, sv, sid } : null;
}

export function sessionCookieOptions(secure: boolean) {
  return { httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: SESSION_MAX_AGE_SECONDS } as const;
}
