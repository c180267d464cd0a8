import { cookies, headers } from "next/headers";
import { cache } from "react";
import type { Actor, ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { clientIpOf, isSecureRequest } from "@/lib/http/client-address";
import { consoleDatabase } from "@/lib/http/database";
import { findSessionActor } from "./actor";
import { findAccount } from "./queries";
import { encodeSession, SESSION_COOKIE, sessionCookieOptions } from "./session-token";

/** Who looks at the page, read afresh from the database once per request. */
export const getActor = cache(async (): Promise<Actor> => {
  const cookie = (await cookies()).get(SESSION_COOKIE)?.value;
  return (await findSessionActor(consoleDatabase().db, cookie)) ?? { type: "anonymous" };
});

/** The context for queries and commands of a page or a server action. */
export const getContext = cache(async (): Promise<ServiceContext> => {
  const clientIp = clientIpOf(await headers());
  const actor = await getActor();
  const { db, sql } = consoleDatabase();
  return { db, sql, actor, clientIp };
});

/** Signs the user in on this browser. Only in a server action or a route handler. */
export async function startSession(userId: number): Promise<void> {
  const account = await findAccount(consoleDatabase().db, userId);
  if (!account) throw new AppError("not_found", "userNotFound");
  const cookie = await encodeSession({ uid: account.id, sv: account.sessionVersion });
  (await cookies()).set(SESSION_COOKIE, cookie, sessionCookieOptions(isSecureRequest(await headers())));
}

/** Signs out on this browser. Only in a server action or a route handler. */
export async function endSession(): Promise<void> {
  (await cookies()).delete(SESSION_COOKIE);
}
