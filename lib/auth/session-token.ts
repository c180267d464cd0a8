import { hkdfSync } from "node:crypto";
import { decode, encode } from "next-auth/jwt";
import { secretText } from "@/lib/env";

export const SESSION_COOKIE = "session";
/** 30 days, contract §1.2. */
export const SESSION_MAX_AGE_SECONDS = 2_592_000;

/**
 * What a session cookie says: the user, the version of the sessions at sign-in and the row of this one. Everything else
 * is read afresh.
 */
export type SessionClaims = { uid: number; sv: number; sid: string };

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The secret of next-auth, derived so that WEIR_SECRET is the only one to keep. */
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

/** The claims of a cookie, or null when it is altered, expired or not ours. */
export async function decodeSession(cookie: string): Promise<SessionClaims | null> {
  try {
    return toSessionClaims(await decode({ token: cookie, secret: sessionSecret() }));
  } catch {
    return null;
  }
}

/** The claims in a decoded token, or null when one is missing. */
export function toSessionClaims(token: Record<string, unknown> | null | undefined): SessionClaims | null {
  const { uid, sv, sid } = token ?? {};
  const whole = typeof uid === "number" && typeof sv === "number" && typeof sid === "string" && UUID.test(sid);
  return whole ? { uid, sv, sid } : null;
}

/** Attributes of the session cookie. */
export function sessionCookieOptions(secure: boolean) {
  return { httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: SESSION_MAX_AGE_SECONDS } as const;
}
