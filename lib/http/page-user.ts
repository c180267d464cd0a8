import { decodeSession, SESSION_COOKIE } from "@/lib/auth/session-token";
import type { Actor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { NOBODY, PAGE_USER_HEADER, PAGE_USER_PARAM } from "@/lib/page-user";
import { cookieIn } from "@/lib/request/cookie";
import { originOf } from "./origin";

/**
 * Guards the calls of a page: one that shows Alice must not act as Bob, who signed in by another tab. Throws other_user.
 * Every browser says which page a call comes from, so only a program may leave the page's user out; it then acts as the
 * session says. A call without a session is left to its command.
 */
export function requirePageUser(headers: Headers, actor: Actor): void {
  if (actor.type !== "user") return;
  const stated = headers.get(PAGE_USER_HEADER);
  if (stated === String(actor.id)) return;
  if (stated !== null) throw new AppError("other_user", "otherUser", { name: actor.username });
  if (originOf(headers) !== "unknown") throw new AppError("other_user", "pageWithoutUser");
}

/** The same for calls of /api and /pg, where pages of before and programs say nothing of a page. */
export function requireStatedUser(headers: Headers, actor: Actor): void {
  if (headers.has(PAGE_USER_HEADER)) requirePageUser(headers, actor);
}

/** The same for a stream, whose address says it: browsers connect again by themselves, with the cookie of whoever has signed in. */
export function requireUserOfAddress({ url }: Request, actor: Actor): void {
  const stated = new URL(url).searchParams.get(PAGE_USER_PARAM);
  if (stated !== null) requirePageUser(new Headers({ [PAGE_USER_HEADER]: stated }), actor);
}

/** Guards a sign-in over an open page: it must be that page's user. Pages that nobody is signed in on take anyone. */
export function requireSameUser(headers: Headers, account: { id: number }): void {
  const stated = headers.get(PAGE_USER_HEADER);
  if (stated === null || stated === NOBODY || stated === String(account.id)) return;
  throw new AppError("other_user", "signInOtherUser");
}

/**
 * Whether the data of a page is asked for by a page of another user. Reads the cookie alone: whether its session still
 * holds is for the page to find out.
 */
export async function isAskedByOtherUser(headers: Headers): Promise<boolean> {
  const stated = headers.get(PAGE_USER_HEADER);
  const cookie = stated === null || stated === NOBODY ? undefined : cookieIn(headers, SESSION_COOKIE);
  const claims = cookie === undefined ? null : await decodeSession(cookie);
  return claims !== null && String(claims.uid) !== stated;
}
