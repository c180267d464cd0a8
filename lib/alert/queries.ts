import { and, asc, eq, isNull } from "drizzle-orm";
import { channels, notificationTargets, tokens } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { RULE_COLUMNS } from "./evaluate-commands";
import type { AlertFiring, AlertRule } from "./types";

/** The current user's rules, newest first. */
export async function listAlerts(ctx: ServiceContext): Promise<AlertRule[]> {
  const actor = requireRole(ctx, ROLE.user);
  const rows = await ctx.sql.unsafe<(AlertRule & { notifiedAt: number })[]>(
    `select ${RULE_COLUMNS}, r.enabled, r.muted_until > extract(epoch from now()) as "isMuted", r.last_value as "lastValue", r.evaluated_at as "evaluatedAt",
       (select max(f.started_at) from alert_firings f where f.rule_id = r.id and f.ended_at is null) as "firingSince"
     from alert_rules r where r.user_id = $1 order by r.id desc`,
    [actor.id],
  );
  return rows.map(({ notifiedAt: _, ...rule }) => rule);
}

const FIRINGS_MAX = 100;

/** The latest firings of the current user's rules, newest first. */
export async function listFirings(ctx: ServiceContext): Promise<AlertFiring[]> {
  const actor = requireRole(ctx, ROLE.user);
  return ctx.sql<AlertFiring[]>`
    select f.id, r.id as "ruleId", r.name as "ruleName", r.metric, f.started_at as "startedAt",
      f.ended_at as "endedAt", f.value, f.end_value as "endValue", f.notified
    from alert_firings f join alert_rules r on r.id = f.rule_id
    where r.user_id = ${actor.id} order by f.id desc limit ${FIRINGS_MAX}`;
}

const CHOICES_MAX = 500;

export type AlertChoices = {
  keys: { id: number; name: string }[];
  /** Empty for users. */
  channels: { id: number; name: string }[];
  targets: { id: number; kind: string; name: string }[];
};

/** What the current user may choose from in the form of a rule. */
export async function listAlertChoices(ctx: ServiceContext): Promise<AlertChoices> {
  const actor = requireRole(ctx, ROLE.user);
  const [keys, found, targets] = await Promise.all([
    ctx.db
      .select({ id: tokens.id, name: tokens.name })
      .from(tokens)
      .where(and(eq(tokens.userId, actor.id), isNull(tokens.deletedAt)))
      .orderBy(asc(tokens.id))
      .limit(CHOICES_MAX),
    actor.role < ROLE.admin
      ? []
      : ctx.db
          .select({ id: channels.id, name: channels.name })
          .from(channels)
          .orderBy(asc(channels.id))
          .limit(CHOICES_MAX),
    ctx.db
      .select({ id: notificationTargets.id, kind: notificationTargets.kind, name: notificationTargets.name })
      .from(notificationTargets)
      .where(eq(notificationTargets.userId, actor.id))
      .orderBy(asc(notificationTargets.id)),
  ]);
  return { keys, channels: found, targets };
}
