import { and, eq, isNull, sql } from "drizzle-orm";
import { users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import type { User } from "./types";

export const userFields = {
  id: users.id,
  username: users.username,
  displayName: users.displayName,
  role: users.role,
  status: users.status,
  email: users.email,
  githubId: users.githubId,
  oidcId: users.oidcId,
  wechatId: users.wechatId,
  telegramId: users.telegramId,
  linuxDoId: users.linuxDoId,
  group: users.group,
  quota: users.quota,
  usedQuota: users.usedQuota,
  requestCount: users.requestCount,
  affCode: users.affCode,
  affCount: users.affCount,
  affQuota: users.affQuota,
  affHistoryQuota: users.affHistoryQuota,
  inviterId: users.inviterId,
  setting: sql<Record<string, unknown>>`${users.setting}`,
  initialPassword: sql<boolean>`${users.initialPassword} <> 0`,
  createdAt: users.createdAt,
  deletedAt: users.deletedAt,
};

/** The caller's own account. */
export async function getSelf(ctx: ServiceContext): Promise<User> {
  const actor = requireRole(ctx, ROLE.user);
  const [row] = await ctx.db
    .select(userFields)
    .from(users)
    .where(and(eq(users.id, actor.id), isNull(users.deletedAt)));
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}
