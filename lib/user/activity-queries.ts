import { and, eq, inArray, isNull, lt, sql } from "drizzle-orm";
import { z } from "zod";
import { auditEntries, sessions } from "@/db/schema";
import { readAuditRows } from "@/lib/audit/row-queries";
import type { AuditRow } from "@/lib/audit/types";
import { type Device, readUserAgent } from "@/lib/auth/user-agent";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { parseInput } from "@/lib/validation";

const ROWS_PER_PAGE = 30;

/** How an own action was made. */
export type ActivityOrigin =
  | { via: "session"; session: { isCurrent: boolean; isOpen: boolean; method: string; device: Device } | null }
  | { via: "access-token" }
  /** From before it was recorded. */
  | { via: "unknown" };

export type ActivityRow = AuditRow & { origin: ActivityOrigin };

const inputSchema = z.object({
  /** Only entries with a smaller id. */
  before: z.number().int().positive().max(Number.MAX_SAFE_INTEGER).optional(),
});

/**
 * What was done in the current user's name, newest first, with the session or access token that it was done with. No
 * other's entries, whatever the role: the whole log is lib/audit's.
 */
export async function listOwnActivity(
  ctx: ServiceContext,
  input: z.input<typeof inputSchema> = {},
): Promise<{ items: ActivityRow[]; next: number | null }> {
  const actor = requireRole(ctx, ROLE.user);
  const { before } = parseInput(inputSchema, input);
  const own = and(
    eq(auditEntries.actorId, actor.id),
    eq(auditEntries.actorKind, "user"),
    before === undefined ? undefined : lt(auditEntries.id, before),
  );
  const rows = await readAuditRows(ctx.db, own, ROWS_PER_PAGE + 1);
  const shown = rows.slice(0, ROWS_PER_PAGE);
  const origins = await readOrigins(ctx, actor.id, actor.session?.id ?? "", shown);
  const items = shown.map((row): ActivityRow => ({ ...row, origin: origins.get(row.id) ?? { via: "unknown" } }));
  return { items, next: rows.length > ROWS_PER_PAGE ? (items.at(-1)?.id ?? null) : null };
}

async function readOrigins(
  ctx: ServiceContext,
  userId: number,
  current: string,
  rows: readonly AuditRow[],
): Promise<Map<number, ActivityOrigin>> {
  if (rows.length === 0) return new Map();
  const found = await ctx.db
    .select({
      id: auditEntries.id,
      via: auditEntries.via,
      sessionId: sessions.id,
      method: sessions.method,
      userAgent: sessions.userAgent,
      isOpen: sql<boolean>`${and(isNull(sessions.revokedAt), sql`${sessions.expiresAt} > ${nowSeconds()}::bigint`)}`,
    })
    .from(auditEntries)
    // An entry's session is its actor's own; the condition says so again.
    .leftJoin(sessions, and(eq(sessions.id, auditEntries.sessionId), eq(sessions.userId, userId)))
    .where(
      inArray(
        auditEntries.id,
        rows.map(({ id }) => id),
      ),
    );
  return new Map(found.map(({ id, ...row }) => [id, toOrigin(row, current)]));
}

type OriginRow = {
  via: string;
  sessionId: string | null;
  method: string | null;
  userAgent: string | null;
  isOpen: boolean;
};

function toOrigin({ via, sessionId, method, userAgent, isOpen }: OriginRow, current: string): ActivityOrigin {
  if (via === "access-token") return { via };
  if (via !== "session") return { via: "unknown" };
  if (sessionId === null) return { via, session: null };
  const device = readUserAgent(userAgent ?? "");
  return { via, session: { isCurrent: sessionId === current, isOpen, method: method ?? "", device } };
}
