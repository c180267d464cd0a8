import { and, asc, desc, eq, gt, inArray, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import type { z } from "zod";
import { captureLosses, captures, tokens, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { parseInput } from "@/lib/validation";
import { captureIdSchema } from "./commands";
import type { Capture, CaptureRow, CaptureView } from "./types";

const LISTED_MAX = 100;
const KEYS_MAX = 200;

const fields = {
  id: captures.id,
  requestId: captures.requestId,
  tokenId: captures.tokenId,
  tokenName: tokens.name,
  createdAt: captures.createdAt,
  expiresAt: captures.expiresAt,
  path: captures.path,
  modelName: captures.modelName,
  status: captures.status,
  requestBytes: captures.requestBytes,
  answerBytes: captures.answerBytes,
};

/** The current user's captures that are still kept, newest first, without what they say. */
export async function listCaptures(ctx: ServiceContext): Promise<CaptureRow[]> {
  const actor = requireRole(ctx, ROLE.user);
  return ctx.db
    .select(fields)
    .from(captures)
    .leftJoin(tokens, eq(tokens.id, captures.tokenId))
    .where(and(eq(captures.userId, actor.id), isKept()))
    .orderBy(desc(captures.id))
    .limit(LISTED_MAX);
}

/** `isByAdmin`: an administrator switched it on. */
export type CaptureKey = { id: number; name: string; captureUntil: number; isByAdmin: boolean };

const keyFields = {
  id: tokens.id,
  name: tokens.name,
  captureUntil: tokens.captureUntil,
  isByAdmin: tokens.captureByAdmin,
};

/** The current user's keys and until when they are captured; those that are come first. */
export async function listCaptureKeys(ctx: ServiceContext): Promise<CaptureKey[]> {
  const actor = requireRole(ctx, ROLE.user);
  return ctx.db
    .select(keyFields)
    .from(tokens)
    .where(and(eq(tokens.userId, actor.id), isNull(tokens.deletedAt)))
    .orderBy(asc(eq(tokens.captureUntil, 0)), asc(tokens.id))
    .limit(KEYS_MAX);
}

/**
 * The keys of a user below the current administrator, likewise; null = the site does not allow capturing, or the account
 * is out of reach.
 */
export async function listUserCaptureKeys(ctx: ServiceContext, userId: number): Promise<CaptureKey[] | null> {
  const actor = requireRole(ctx, ROLE.admin);
  if (!(await loadOptions(ctx.db)).CaptureEnabled) return null;
  const reach = actor.role >= ROLE.root ? undefined : or(eq(users.id, actor.id), lt(users.role, actor.role));
  const [user] = await ctx.db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAt), reach));
  if (!user) return null;
  return ctx.db
    .select(keyFields)
    .from(tokens)
    .where(and(eq(tokens.userId, userId), isNull(tokens.deletedAt)))
    .orderBy(asc(eq(tokens.captureUntil, 0)), desc(tokens.accessedTime), asc(tokens.id))
    .limit(KEYS_MAX);
}

/** Which of these requests have a capture that the current user may read. */
export async function listCapturedRequests(ctx: ServiceContext, requestIds: readonly string[]): Promise<string[]> {
  const actor = requireRole(ctx, ROLE.user);
  if (requestIds.length === 0) return [];
  const rows = await ctx.db
    .select({ requestId: captures.requestId })
    .from(captures)
    .leftJoin(users, eq(users.id, captures.userId))
    .where(and(inArray(captures.requestId, [...requestIds]), isKept(), await reachOf(ctx, actor)));
  return rows.map(({ requestId }) => requestId);
}

/** How many captures of all users were dropped in the last 24 hours. */
export async function countLosses(ctx: ServiceContext): Promise<number> {
  requireRole(ctx, ROLE.user);
  const [row] = await ctx.db
    .select({ count: sql<string>`coalesce(sum(${captureLosses.count}), 0)` })
    .from(captureLosses)
    .where(gt(captureLosses.hour, nowSeconds() - 86_400));
  return Number(row?.count ?? 0);
}

/**
 * What a capture says. It is its user's; administrators may read those of users below them where the option allows it,
 * and each of their readings is in the audit log. Throws not_found for all others.
 */
export async function readCapture(ctx: ServiceContext, input: z.input<typeof captureIdSchema>): Promise<CaptureView> {
  const actor = requireRole(ctx, ROLE.user);
  const { id } = parseInput(captureIdSchema, input);
  const mayRead = await reachOf(ctx, actor);
  const [row] = await ctx.db
    .select({ ...fields, userId: captures.userId, sealed: captures.sealed })
    .from(captures)
    .leftJoin(tokens, eq(tokens.id, captures.tokenId))
    .leftJoin(users, eq(users.id, captures.userId))
    .where(and(eq(captures.id, id), isKept(), mayRead));
  if (!row) throw new AppError("not_found", "captureNotFound");
  if (row.userId !== actor.id) {
    const after = { user: row.userId, request: row.requestId };
    await writeAudit(ctx.db, ctx, { action: "capture.read", subject: `capture:${id}`, after });
  }
  const { sealed, ...view } = row;
  return { ...view, ...open(sealed) };
}

/** The capture of a request; null = there is none that the current user may read. */
export async function findCapture(ctx: ServiceContext, requestId: string): Promise<number | null> {
  const actor = requireRole(ctx, ROLE.user);
  const [row] = await ctx.db
    .select({ id: captures.id })
    .from(captures)
    .leftJoin(users, eq(users.id, captures.userId))
    .where(and(eq(captures.requestId, requestId), isKept(), await reachOf(ctx, actor)));
  return row?.id ?? null;
}

const isKept = () => gt(captures.expiresAt, nowSeconds());

async function reachOf(ctx: ServiceContext, actor: UserActor): Promise<SQL | undefined> {
  const own = eq(captures.userId, actor.id);
  if (actor.role < ROLE.admin || !(await loadOptions(ctx.db)).CaptureAdminAccess) return own;
  return actor.role >= ROLE.root ? undefined : or(own, lt(users.role, actor.role));
}

/** Throws unavailable when it was sealed under another secret. */
function open(sealed: string): Capture {
  try {
    return JSON.parse(unseal(sealed)) as Capture;
  } catch (error) {
    throw new AppError("unavailable", "captureUnreadable", {}, error);
  }
}
