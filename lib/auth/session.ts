import { cookies, headers } from "next/headers";
import { cache } from "react";
import { consoleDatabase } from "@/lib/console-database";
import type { Actor, ServiceContext } from "@/lib/context";
import { clientIpOf, isSecureRequest } from "@/lib/request/client-address";
import { findSessionActor } from "./actor";
import { createSession, endSessionOf, type SignInMethod } from "./session-commands";
import { clientOf } from "./session-cookie";
import { SESSION_COOKIE, sessionCookieOptions } from "./session-token";

/** The user of the page, read from the database once per request. */
export const getActor = cache(async (): Promise<Actor> => {
  const cookie = (await cookies()).get(SESSION_COOKIE)?.value;
  return (await findSessionActor(consoleDatabase().db, cookie)) ?? { type: "anonymous" };
});

/** The context for queries and commands in a page or server action. */
export const getContext = cache(async (): Promise<ServiceContext> => {
  const clientIp = clientIpOf(await headers());
  const actor = await getActor();
  const { db, sql } = consoleDatabase();
  return { db, sql, actor, clientIp };
});

/** Signs the user in on this browser. Only in a server action or a route handler. */
export async function startSession(userId: number, method: SignInMethod = "password"): Promise<void> {
  const sent = await headers();
  const { token } = await createSession(consoleDatabase().db, { userId, method, ...clientOf(sent) });
  (await cookies()).set(SESSION_COOKIE, token, sessionCookieOptions(isSecureRequest(sent)));
}

/** Signs out on this browser. Only in a server action or a route handler. */
export async function endSession(): Promise<void> {
  const jar = await cookies();
  await endSessionOf(consoleDatabase().db, jar.get(SESSION_COOKIE)?.value);
  jar.delete(SESSION_COOKIE);
}
