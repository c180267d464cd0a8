import { and, count, eq, inArray, isNull, lt, or } from "drizzle-orm";
import type { z } from "zod";
import type { Database } from "@/db/client";
import { alertFirings, alertRules, channels, notificationTargets, tokens, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { notify } from "@/lib/notify/notify-commands";
import { countTest } from "@/lib/notify/test-commands";
import { refuseChanged } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { firedParams } from "./evaluate-commands";
import { listAlerts } from "./queries";
import {
  alertEnabledSchema,
  alertIdSchema,
  alertMuteSchema,
  alertSchema,
  type SaveAlertInput,
  saveAlertSchema,
} from "./schemas";

/** Limits what the job has to evaluate for one account. */
export const ALERTS_MAX = 50;

type Values = z.output<typeof alertSchema>;

/**
 * Adds a rule of the current user, or changes the given fields of one; rules on the site need an administrator. A changed rule
 * starts anew: its open firing ends without a message. Returns its id. Throws conflict for a field that somebody else has changed
 * since the client saw it.
 */
export async function saveAlert(ctx: ServiceContext, input: SaveAlertInput): Promise<number> {
  const actor = requireRole(ctx, ROLE.user);
  const { id, seen, ...given } = parseInput(saveAlertSchema, input);
  return ctx.db.transaction(async (tx) => {
    const before = id === undefined ? {} : await lockRule(tx, actor, id);
    refuseChanged(before, given, seen);
    const values = withoutUnused(parseInput(alertSchema, { ...before, ...given }));
    if (values.scope === "site") requireRole(ctx, ROLE.admin);
    if (id !== undefined && Object.keys(given).length === 0) return id;
    await assertSubject(tx, actor, values);
    await assertTargets(tx, actor, values.targetIds);
    const savedId = id === undefined ? await insertRule(tx, actor, values) : await updateRule(tx, id, values);
    await writeAudit(tx, ctx, { action: "alert.save", subject: `alert:${savedId}`, after: values });
    return savedId;
  });
}

/** Fields that do not belong to the subject or the metric are emptied, so that equal rules are equal rows. */
function withoutUnused(values: Values): Values {
  const hasId = ["key", "channel", "user"].includes(values.subject);
  return {
    ...values,
    subjectId: hasId ? values.subjectId : 0,
    modelName: values.subject === "model" ? values.modelName : "",
    minRequests: values.metric === "error_rate" || values.metric === "latency" ? values.minRequests : 0,
  };
}

async function insertRule(tx: Database, actor: UserActor, values: Values): Promise<number> {
  // One insert at a time for each account, so that the limit holds.
  await tx.select({ id: users.id }).from(users).where(eq(users.id, actor.id)).for("update");
  const [counted] = await tx.select({ count: count() }).from(alertRules).where(eq(alertRules.userId, actor.id));
  if ((counted?.count ?? 0) >= ALERTS_MAX) throw new AppError("conflict", "alertsTooMany", { max: ALERTS_MAX });
  const [row] = await tx
    .insert(alertRules)
    .values({ ...values, userId: actor.id })
    .returning({ id: alertRules.id });
  if (!row) throw new Error("insert returned no row");
  return row.id;
}

async function updateRule(tx: Database, id: number, values: Values): Promise<number> {
  await tx
    .update(alertRules)
    .set({ ...values, lastValue: null, evaluatedAt: 0 })
    .where(eq(alertRules.id, id));
  await endFiring(tx, id);
  return id;
}

async function endFiring(tx: Database, ruleId: number): Promise<void> {
  await tx
    .update(alertFirings)
    .set({ endedAt: nowSeconds() })
    .where(and(eq(alertFirings.ruleId, ruleId), isNull(alertFirings.endedAt)));
}

/** A rule that is switched off forgets its state; switched on it starts anew. */
export async function setAlertEnabled(ctx: ServiceContext, input: z.input<typeof alertEnabledSchema>): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id, enabled } = parseInput(alertEnabledSchema, input);
  await ctx.db.transaction(async (tx) => {
    await lockRule(tx, actor, id);
    await tx.update(alertRules).set({ enabled, lastValue: null, evaluatedAt: 0 }).where(eq(alertRules.id, id));
    await endFiring(tx, id);
    await writeAudit(tx, ctx, { action: "alert.enable", subject: `alert:${id}`, after: { enabled } });
  });
}

/** Sends nothing for so long. A firing that lasts longer is told when it ends. */
export async function muteAlert(ctx: ServiceContext, input: z.input<typeof alertMuteSchema>): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id, seconds } = parseInput(alertMuteSchema, input);
  const rows = await ctx.db
    .update(alertRules)
    .set({ mutedUntil: seconds === 0 ? 0 : nowSeconds() + seconds })
    .where(own(actor, id))
    .returning({ id: alertRules.id });
  if (rows.length === 0) throw notFound();
}

export async function deleteAlert(ctx: ServiceContext, input: z.input<typeof alertIdSchema>): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id } = parseInput(alertIdSchema, input);
  await ctx.db.transaction(async (tx) => {
    const rows = await tx.delete(alertRules).where(own(actor, id)).returning({ name: alertRules.name });
    if (!rows[0]) throw notFound();
    await writeAudit(tx, ctx, { action: "alert.delete", subject: `alert:${id}`, before: rows[0] });
  });
}

/** Sends the message of a rule as if it had reached its threshold. At most five tests in five minutes. */
export async function testAlert(ctx: ServiceContext, input: z.input<typeof alertIdSchema>): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id } = parseInput(alertIdSchema, input);
  const rule = (await listAlerts(ctx)).find((known) => known.id === id);
  if (!rule) throw notFound();
  await countTest(ctx, actor.id);
  const params = firedParams(rule, rule.lastValue ?? rule.threshold);
  await notify(ctx.db, {
    userId: actor.id,
    event: "alert_fired",
    params: { ...params, rule: `TEST · ${params.rule}` },
    dedupeKey: `alert-test:${id}:${crypto.randomUUID()}`,
    targetIds: rule.targetIds,
  });
}

const own = (actor: UserActor, id: number) => and(eq(alertRules.id, id), eq(alertRules.userId, actor.id));
const notFound = () => new AppError("not_found", "alertNotFound");

/** Locks a rule and returns the fields that its owner may change. */
async function lockRule(tx: Database, actor: UserActor, id: number): Promise<object> {
  const { scope, name, metric, subject, subjectId, modelName, comparison, threshold } = alertRules;
  const { windowSeconds, minRequests, targetIds, coolDownSeconds, tellsResolved } = alertRules;
  const what = { scope, name, metric, subject, subjectId, modelName, comparison, threshold };
  const [row] = await tx
    .select({ ...what, windowSeconds, minRequests, targetIds, coolDownSeconds, tellsResolved })
    .from(alertRules)
    .where(own(actor, id))
    .for("update");
  if (!row) throw notFound();
  return row;
}

/** Throws unless the current user may watch it. Administrators may watch accounts below their own role, and their own. */
async function assertSubject(tx: Database, actor: UserActor, { subject, subjectId }: Values): Promise<void> {
  if (!["key", "channel", "user"].includes(subject)) return;
  const reach = actor.role >= ROLE.root ? undefined : or(lt(users.role, actor.role), eq(users.id, actor.id));
  const rows =
    subject === "key"
      ? await tx
          .select({ id: tokens.id })
          .from(tokens)
          .where(and(eq(tokens.id, subjectId), eq(tokens.userId, actor.id), isNull(tokens.deletedAt)))
      : subject === "channel"
        ? await tx.select({ id: channels.id }).from(channels).where(eq(channels.id, subjectId))
        : await tx
            .select({ id: users.id })
            .from(users)
            .where(and(eq(users.id, subjectId), isNull(users.deletedAt), reach));
  if (rows.length === 0) throw new AppError("invalid", "alertSubjectMissing", { field: "subjectId" });
}

async function assertTargets(tx: Database, actor: UserActor, targetIds: readonly number[]): Promise<void> {
  if (targetIds.length === 0) return;
  const unique = [...new Set(targetIds)];
  const rows = await tx
    .select({ id: notificationTargets.id })
    .from(notificationTargets)
    .where(and(eq(notificationTargets.userId, actor.id), inArray(notificationTargets.id, unique)));
  if (rows.length !== unique.length) throw new AppError("invalid", "notifyTargetNotFound", { field: "targetIds" });
}
