import { and, eq, gte, like, lt, lte, type SQL, sql } from "drizzle-orm";
import { auditEntries, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { escapeLike } from "@/lib/page";
import { parseInput } from "@/lib/validation";
import { readAuditRows } from "./row-queries";
import { type AuditSearch, auditSearchSchema, type ParsedAuditSearch } from "./schemas";
import type { AuditPage } from "./types";

const ROWS_PER_PAGE = 30;
/** Largest value of PostgreSQL's integer type. */
const ID_MAX = 2_147_483_647;

/**
 * The audit log, newest first (root only). Keyset pagination: every page costs the same. Each filter except time has an
 * index that includes the order.
 */
export async function listAuditEntries(
  ctx: ServiceContext,
  input: AuditSearch = {},
  pageSize = ROWS_PER_PAGE,
): Promise<AuditPage> {
  requireRole(ctx, ROLE.root);
  const search = parseInput(auditSearchSchema, input);
  const actorId = await findActor(ctx, search.actor);
  if (search.actor !== "" && actorId === null) return { items: [], next: null };
  const rows = await readAuditRows(ctx.db, conditionsOf(search, actorId), pageSize + 1);
  const items = rows.slice(0, pageSize);
  return { items, next: rows.length > pageSize ? (items.at(-1)?.id ?? null) : null };
}

/** All actions that occur, sorted (root only). Each action costs one index lookup. */
export async function listAuditActions(ctx: ServiceContext): Promise<string[]> {
  requireRole(ctx, ROLE.root);
  const rows = await ctx.db.execute<{ action: string }>(sql`
    with recursive step as (
      (select action from audit_entries order by action limit 1)
      union all
      select (select action from audit_entries where action > step.action order by action limit 1)
      from step where step.action is not null
    )
    select action from step where action is not null`);
  return rows.map(({ action }) => action);
}

function conditionsOf(search: ParsedAuditSearch, actorId: number | null): SQL | undefined {
  const { action, subject, from, to, before } = search;
  return and(
    actorId === null ? undefined : eq(auditEntries.actorId, actorId),
    action === "" ? undefined : eq(auditEntries.action, action),
    subject === "" ? undefined : subjectCondition(subject),
    from === undefined ? undefined : gte(auditEntries.createdAt, from),
    to === undefined ? undefined : lte(auditEntries.createdAt, to),
    before === undefined ? undefined : lt(auditEntries.id, before),
  );
}

function subjectCondition(subject: string): SQL {
  return subject.endsWith(":")
    ? like(auditEntries.subject, `${escapeLike(subject)}%`)
    : eq(auditEntries.subject, subject);
}

/** The id of a user given by id or name; null when there is no such user. */
async function findActor(ctx: ServiceContext, actor: string): Promise<number | null> {
  if (actor === "") return null;
  const [row] = await ctx.db
    .select({ id: users.id })
    .from(users)
    // The index is on lower(username).
    .where(and(sql`lower(${users.username}) = lower(${actor})`, eq(users.username, actor)))
    .limit(1);
  if (row) return row.id;
  return /^\d{1,10}$/.test(actor) && Number(actor) <= ID_MAX ? Number(actor) : null;
}
