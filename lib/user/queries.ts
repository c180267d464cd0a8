import { and, asc, desc, eq, ilike, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { z } from "zod";
import { users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { MATCHING_MAX } from "@/lib/matching-max";
import { escapeLike, offsetOf, type Page } from "@/lib/page";
import { USER_STATUS } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { type UserSearch, userSearchSchema } from "./schemas";
import type { ChangeableUser, User, UserListItem } from "./types";

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
  concurrencyLimit: users.concurrencyLimit,
  requestsPerMinute: users.requestsPerMinute,
  tokensPerMinute: users.tokensPerMinute,
  budgetDay: users.budgetDay,
  budgetWeek: users.budgetWeek,
  budgetMonth: users.budgetMonth,
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

const SORT_COLUMNS = {
  id: users.id,
  username: sql`lower(${users.username})`,
  group: users.group,
  quota: users.quota,
  usedQuota: users.usedQuota,
  requestCount: users.requestCount,
  affCount: users.affCount,
  affHistoryQuota: users.affHistoryQuota,
} as const;

export async function getSelf(ctx: ServiceContext): Promise<User> {
  const actor = requireRole(ctx, ROLE.user);
  const [row] = await ctx.db
    .select(userFields)
    .from(users)
    .where(and(eq(users.id, actor.id), isNull(users.deletedAt)));
  if (!row) throw new AppError("not_found", "userNotFound");
  return row;
}

/**
 * All accounts for administrators, deleted ones included, newest first unless sorted otherwise. Addresses, external
 * accounts and settings of accounts with the same or a higher role are shown to root only (B213), and are not searched
 * for others.
 */
export async function listUsers(ctx: ServiceContext, input: UserSearch = {}): Promise<Page<UserListItem>> {
  const actor = requireRole(ctx, ROLE.admin);
  const search = parseInput(userSearchSchema, input);
  const conditions = matchingUsers(search, actor);
  const inviters = alias(users, "inviters");
  const column = SORT_COLUMNS[search.sort];
  const order = search.descending ? [desc(column), desc(users.id)] : [asc(column), asc(users.id)];
  // Selects the page first, so that whole rows and inviters are read only for its rows.
  const page = ctx.db
    .select({ id: users.id })
    .from(users)
    .where(conditions)
    .orderBy(...order)
    .limit(search.pageSize)
    .offset(offsetOf(search))
    .as("page");
  const [rows, total] = await Promise.all([
    ctx.db
      .select({ ...userFields, inviterUsername: inviters.username })
      .from(page)
      .innerJoin(users, eq(users.id, page.id))
      .leftJoin(inviters, eq(inviters.id, users.inviterId))
      .orderBy(...order),
    ctx.db.$count(users, conditions),
  ]);
  const items = rows.map((row) => asSeenBy(actor, row));
  return { items, total, page: search.page, pageSize: search.pageSize };
}

/**
 * The accounts that match and that the administrator may change, in the order of the list, at most MATCHING_MAX; to
 * change them together.
 */
export async function listChangeableUsers(ctx: ServiceContext, input: UserSearch = {}): Promise<ChangeableUser[]> {
  const actor = requireRole(ctx, ROLE.admin);
  const search = parseInput(userSearchSchema, input);
  const column = SORT_COLUMNS[search.sort];
  return ctx.db
    .select({ id: users.id, username: users.username, group: users.group, status: users.status })
    .from(users)
    .where(
      and(
        matchingUsers(search, actor),
        isNull(users.deletedAt),
        actor.role === ROLE.root ? undefined : lt(users.role, actor.role),
      ),
    )
    .orderBy(...(search.descending ? [desc(column), desc(users.id)] : [asc(column), asc(users.id)]))
    .limit(MATCHING_MAX);
}

/** One account that is not deleted. Throws forbidden for an account of the same or a higher role unless the user is root. */
export async function getUser(ctx: ServiceContext, id: number): Promise<User> {
  const actor = requireRole(ctx, ROLE.admin);
  const [row] = await ctx.db
    .select(userFields)
    .from(users)
    .where(and(eq(users.id, id), isNull(users.deletedAt)));
  if (!row) throw new AppError("not_found", "userNotFound");
  if (actor.role !== ROLE.root && row.role >= actor.role) throw new AppError("forbidden", "userReadLevel");
  return row;
}

/** The condition of a search, limited to the fields that the administrator may see. */
export function matchingUsers(
  search: Pick<z.output<typeof userSearchSchema>, "keyword" | "group" | "role" | "status">,
  actor: UserActor,
): SQL | undefined {
  return and(
    keywordMatches(search.keyword, actor),
    search.group === "" ? undefined : eq(users.group, search.group),
    search.role === undefined ? undefined : eq(users.role, search.role),
    search.status === undefined ? undefined : statusIs(search.status),
  );
}

/** Removes the fields that the administrator may not see. */
export function asSeenBy<Row extends PrivateFields & { id: number; role: number }>(actor: UserActor, row: Row): Row {
  return maySee(actor, row) ? row : withoutPrivate(row);
}

type PrivateFields = Pick<
  User,
  "email" | "githubId" | "oidcId" | "wechatId" | "telegramId" | "linuxDoId" | "affCode" | "setting"
>;

function maySee(actor: UserActor, row: { id: number; role: number }): boolean {
  return actor.role === ROLE.root || row.role < actor.role || row.id === actor.id;
}

function withoutPrivate<Row extends PrivateFields>(row: Row): Row {
  const hidden = { email: null, githubId: null, oidcId: null, wechatId: null, telegramId: null, linuxDoId: null };
  return { ...row, ...hidden, affCode: null, setting: {} };
}

function keywordMatches(keyword: string, actor: UserActor): SQL | undefined {
  if (keyword === "") return undefined;
  const pattern = `%${escapeLike(keyword)}%`;
  // The trigram index covers the three fields joined; the matches are then checked field by field.
  const isNear = sql`lower(${users.username} || ' ' || coalesce(${users.email}, '') || ' ' || ${users.displayName}) like lower(${pattern})`;
  const mayReadAddress = actor.role === ROLE.root ? undefined : sql`${users.role} < ${actor.role}`;
  return or(
    /^\d{1,9}$/.test(keyword) ? eq(users.id, Number(keyword)) : undefined,
    and(
      isNear,
      or(
        ilike(users.username, pattern),
        ilike(users.displayName, pattern),
        and(ilike(users.email, pattern), mayReadAddress),
      ),
    ),
  );
}

function statusIs(status: "enabled" | "disabled" | "deleted"): SQL | undefined {
  if (status === "deleted") return isNotNull(users.deletedAt);
  return and(eq(users.status, USER_STATUS[status]), isNull(users.deletedAt));
}
