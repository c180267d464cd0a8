import type { SignInMethod } from "@/lib/auth/session-commands";
import { clearedSessionCookie, signInCookie } from "@/lib/auth/session-cookie";
import { consoleDatabase } from "@/lib/console-database";

/** Creates a session for the request's browser and returns its Set-Cookie header. */
export function sessionCookie(
  request: Request,
  account: { id: number },
  method: SignInMethod = "password",
): Promise<string> {
  return signInCookie(consoleDatabase().db, request, { userId: account.id, method });
}

/** The Set-Cookie header that signs the browser out. */
export function clearedCookie(request: Request): string {
  return clearedSessionCookie(request.headers);
}
