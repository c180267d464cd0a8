import { hkdfSync } from "node:crypto";
import { decode, encode } from "next-auth/jwt";
import { env } from "@/lib/env";

export const SESSION_COOKIE = "session";
/** 30 days, contract §1.2. */
export const SESSION_MAX_AGE_SECONDS = 2_592_000;

/** What a session cookie says: the user, and the version of the sessions at sign-in. Everything else is read afresh. */
export type SessionClaims = { uid: number; sv: number };

/** The secret of next-auth, derived so that WEIR_SECRET is the only one to keep. */
export function sessionSecret(): string {
  const secret = env().WEIR_SECRET;
  if (!secret || secret.length < 16) throw new Error("WEIR_SECRET must be set to at least 16 characters");
  return Buffer.from(hkdfSync("sha256", secret, "weir", "session v1", 32)).toString("base64url");
}

export function encodeSession(claims: SessionClaims): Promise<string> {
  return encode({
    token: { uid: claims.uid, sv: claims.sv },
    secret: sessionSecret(),
    maxAge: SESSION_MAX_AGE_SECONDS,
  });
}

/** The claims of a cookie, or null when it is altered, expired or not ours. */
export async function decodeSession(cookie: string): Promise<SessionClaims | null> {
  try {
    const token = await decode({ token: cookie, secret: sessionSecret() });
    const { uid, sv } = token ?? {};
    return typeof uid === "number" && typeof sv === "number" ? { uid, sv } : null;
  } catch {
    return null;
  }
}

/** Attributes of the session cookie. */
export function sessionCookieOptions(secure: boolean) {
  return { httpOnly: true, sameSite: "lax", path: "/", secure, maxAge: SESSION_MAX_AGE_SECONDS } as const;
}
