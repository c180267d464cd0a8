import { findSessionActor } from "@/lib/auth/actor";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { consoleDatabase, orDatabaseAway } from "@/lib/console-database";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { AppError, ERROR_STATUS } from "@/lib/errors";
import { localeOf } from "@/lib/http/message";
import { requireUserOfAddress } from "@/lib/http/page-user";
import { fail } from "@/lib/http/reply";
import { logger } from "@/lib/logger";
import { clientIpOf } from "@/lib/request/client-address";
import { cookieOf } from "@/lib/request/cookie";

export type SessionContext = ServiceContext & { actor: UserActor };

/** The user of the request's session cookie. Throws unauthenticated, forbidden for a request from another site, other_user. */
export async function sessionContext(request: Request): Promise<SessionContext> {
  if (request.headers.get("sec-fetch-site") === "cross-site") throw new AppError("forbidden", "crossSite");
  const { db, sql } = consoleDatabase();
  const actor = (await findSessionActor(db, cookieOf(request, SESSION_COOKIE))) ?? ({ type: "anonymous" } as const);
  requireUserOfAddress(request, actor);
  const ctx: ServiceContext = { db, sql, actor, clientIp: clientIpOf(request.headers) };
  return { ...ctx, actor: requireRole(ctx, ROLE.user) };
}

/** Turns an error into a response with its HTTP status and a message in the request's language. */
export function failed(request: Request, thrown: unknown): Response {
  const error = orDatabaseAway(thrown);
  if (!(error instanceof AppError)) logger.error({ err: error }, "a stream of the log failed");
  return fail(error, localeOf(request), ERROR_STATUS[error instanceof AppError ? error.code : "internal"]);
}
