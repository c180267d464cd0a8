import type { Sql } from "@/db/client";
import { ROLE } from "@/lib/context";
import { logStoreOutage } from "@/lib/log-store/outage";
import { isStoreTrouble } from "@/lib/log-store/trouble";
import { logger } from "@/lib/logger";
import { notify } from "@/lib/notify/notify-commands";
import { USER_STATUS } from "@/lib/row-status";
import type { Watched } from "./both-log-queries";
import { createMeasure } from "./measure-queries";
import type { AlertComparison, AlertMetric, AlertScope, Measured } from "./types";

type Condition = { comparison: AlertComparison; threshold: number; minRequests: number };

/** Whether the condition is met; null = there is not enough to tell, so that a rule stays as it is. */
export function isMet({ comparison, threshold, minRequests }: Condition, measured: Measured): boolean | null {
  if (measured.value === null || measured.requests < minRequests) return null;
  return comparison === "above" ? measured.value > threshold : measured.value < threshold;
}

/** `notified` is of the firing that is open. */
export type AlertState = {
  firing: { notified: boolean } | null;
  notifiedAt: number;
  mutedUntil: number;
  coolDownSeconds: number;
  tellsResolved: boolean;
};

/** What to do, with or without a message. "tell" = a firing that was held back is told now. */
type AlertStep = { kind: "none" } | { kind: "fire" | "resolve"; tells: boolean } | { kind: "tell" };

const NOTHING: AlertStep = { kind: "none" };

/** The next step of a rule. A firing that is muted, or within the cool-down, is told when that has ended, if it lasts. */
export function nextStep(state: AlertState, met: boolean | null, now: number): AlertStep {
  const { firing, mutedUntil, notifiedAt, coolDownSeconds } = state;
  const isMuted = now < mutedUntil;
  const mayTell = !isMuted && now - notifiedAt >= coolDownSeconds;
  if (met === null) return NOTHING;
  if (met && firing === null) return { kind: "fire", tells: mayTell };
  if (met) return !firing?.notified && mayTell ? { kind: "tell" } : NOTHING;
  if (firing === null) return NOTHING;
  return { kind: "resolve", tells: state.tellsResolved && firing.notified && !isMuted };
}

/** The job runs once a minute; the margin is for a run that starts early. */
const EVERY_SECONDS = 55;

type DueRule = Watched & {
  id: number;
  scope: AlertScope;
  name: string;
  comparison: AlertComparison;
  threshold: number;
  minRequests: number;
  coolDownSeconds: number;
  tellsResolved: boolean;
  mutedUntil: number;
  notifiedAt: number;
  targetIds: number[];
  subjectName: string | null;
};

/** Columns of a rule under the names of AlertRule. The subject's name is that of now. */
export const RULE_COLUMNS = `r.id, r.user_id as "userId", r.scope, r.name, r.metric, r.subject,
  r.subject_id as "subjectId", r.model_name as "modelName", r.comparison, r.threshold,
  r.window_seconds as "windowSeconds", r.min_requests as "minRequests", r.target_ids as "targetIds",
  r.cool_down_seconds as "coolDownSeconds", r.tells_resolved as "tellsResolved", r.muted_until as "mutedUntil",
  r.notified_at as "notifiedAt",
  case r.subject
    when 'key' then (select t.name from tokens t where t.id = r.subject_id and t.user_id = r.user_id and t.deleted_at is null)
    when 'channel' then (select c.name from channels c where c.id = r.subject_id)
    when 'user' then (select w.username from users w where w.id = r.subject_id and w.deleted_at is null)
    when 'model' then r.model_name end as "subjectName"`;

/**
 * Evaluates every rule that is due, each once a minute over all processes: a rule is claimed by its row, and its state,
 * its history and its message are committed together. Rules of accounts that are banned, deleted or no longer
 * administrators rest, and so do rules on accounts that are no longer below their own. Returns how many were evaluated.
 */
export async function evaluateAlerts(sql: Sql, now: number): Promise<number> {
  const due = await sql.unsafe<DueRule[]>(
    `select ${RULE_COLUMNS} from alert_rules r join users u on u.id = r.user_id
     where r.enabled and r.evaluated_at <= $1 and u.status = ${USER_STATUS.enabled} and u.deleted_at is null
       and (r.scope = 'own' or u.role >= ${ROLE.admin})
       and (r.subject <> 'user' or u.role >= ${ROLE.root} or r.subject_id = u.id
         or exists (select 1 from users w where w.id = r.subject_id and w.role < u.role))
     order by r.evaluated_at, r.id`,
    [now - EVERY_SECONDS],
  );
  const measure = createMeasure(sql, now);
  let count = 0;
  for (const rule of due) {
    try {
      const measured = await measure(rule);
      if (await record(sql, rule, measured, now)) count += 1;
    } catch (error) {
      // One rule must not keep the others from being evaluated.
      if (isStoreTrouble(error)) logStoreOutage.failed("alerts", error);
      else
        logger.error({ err: error, alert: rule.id }, "an alert could not be evaluated; it is tried again in a minute");
    }
  }
  return count;
}

type OpenFiring = { id: number; startedAt: number; notified: boolean };

/** False = another process has evaluated the rule, or it was changed meanwhile. */
async function record(sql: Sql, rule: DueRule, measured: Measured, now: number): Promise<boolean> {
  return sql.begin(async (begun) => {
    const tx = begun as unknown as Sql;
    const met = isMet(rule, measured);
    const [claimed] = await tx<{ notifiedAt: number; mutedUntil: number }[]>`
      update alert_rules set evaluated_at = ${now}, last_value = ${met === null ? null : measured.value}
      where id = ${rule.id} and enabled and evaluated_at <= ${now - EVERY_SECONDS} and threshold = ${rule.threshold}
        and metric = ${rule.metric} and comparison = ${rule.comparison} and subject = ${rule.subject}
        and subject_id = ${rule.subjectId} and model_name = ${rule.modelName} and window_seconds = ${rule.windowSeconds}
      returning notified_at as "notifiedAt", muted_until as "mutedUntil"`;
    if (!claimed) return false;
    const [open] = await tx<OpenFiring[]>`
      select id, started_at as "startedAt", notified from alert_firings
      where rule_id = ${rule.id} and ended_at is null order by id desc limit 1`;
    const step = nextStep({ ...rule, ...claimed, firing: open ?? null }, met, now);
    await apply(tx, { rule, step, open: open ?? null, value: measured.value ?? 0, now });
    return true;
  });
}

type Change = { rule: DueRule; step: AlertStep; open: OpenFiring | null; value: number; now: number };

async function apply(tx: Sql, { rule, step, open, value, now }: Change): Promise<void> {
  if (step.kind === "none") return;
  if (step.kind === "fire") {
    const [made] = await tx<{ id: number }[]>`
      insert into alert_firings (rule_id, started_at, value, notified)
      values (${rule.id}, ${now}, ${value}, ${step.tells}) returning id`;
    if (made && step.tells) await tellFired(tx, rule, made.id, value, now);
    return;
  }
  if (!open) return;
  if (step.kind === "tell") {
    await tx`update alert_firings set notified = true where id = ${open.id}`;
    await tellFired(tx, rule, open.id, value, now);
    return;
  }
  await tx`update alert_firings set ended_at = ${now}, end_value = ${value} where id = ${open.id}`;
  if (!step.tells) return;
  await notify(tx, {
    userId: rule.userId,
    event: "alert_resolved",
    params: {
      rule: titleOf(rule),
      subject: subjectText(rule),
      metric: rule.metric,
      value: measureText(rule.metric, value),
      minutes: Math.max(1, Math.round((now - open.startedAt) / 60)),
    },
    dedupeKey: `alert:${open.id}:resolved`,
    targetIds: rule.targetIds,
  });
}

async function tellFired(tx: Sql, rule: DueRule, firingId: number, value: number, now: number): Promise<void> {
  await tx`update alert_rules set notified_at = ${now} where id = ${rule.id}`;
  await notify(tx, {
    userId: rule.userId,
    event: "alert_fired",
    params: firedParams(rule, value),
    dedupeKey: `alert:${firingId}:fired`,
    targetIds: rule.targetIds,
  });
}

type Described = Pick<
  DueRule,
  "name" | "metric" | "subject" | "subjectName" | "comparison" | "threshold" | "windowSeconds"
>;

/** The arguments of the message of a firing. */
export function firedParams(rule: Described, value: number) {
  return {
    rule: titleOf(rule),
    subject: subjectText(rule),
    metric: rule.metric,
    value: measureText(rule.metric, value),
    comparison: rule.comparison,
    threshold: measureText(rule.metric, rule.threshold),
    window: rule.metric === "balance" ? 0 : rule.windowSeconds,
  };
}

function titleOf({ name, subjectName, metric }: Pick<DueRule, "name" | "subjectName" | "metric">): string {
  return name || subjectName || metric;
}

const subjectText = ({ subject, subjectName }: Pick<DueRule, "subject" | "subjectName">): string =>
  `${subject}:${subjectName ?? ""}`;

const measureText = (metric: AlertMetric, value: number): string => `${metric}:${value}`;

/** How long firings are kept in the history. */
const KEPT_DAYS = 90;

/** Removes old firings. Returns how many. */
export async function removeOldFirings(sql: Sql, now: number): Promise<number> {
  const gone = await sql`
    delete from alert_firings where id in (
      select id from alert_firings where started_at < ${now - KEPT_DAYS * 86_400} and ended_at is not null limit 10000)`;
  return gone.count;
}
