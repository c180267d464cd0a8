import { and, asc, desc, eq, isNull, sql } from "drizzle-orm";
import { notifications, notificationTargets, users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { LOCALES, type Locale } from "@/lib/i18n/locale";
import { loadOptions } from "@/lib/option/queries";
import { decodeFailure } from "./delivery-error";
import { eventDefinition, isNotificationEvent } from "./events";
import { renderEvent } from "./message";
import { openConfig, publicConfig } from "./target-config";
import { isTargetKind } from "./target-kinds";
import type { Notice, NotificationPreferences, NotificationTarget } from "./types";

/** At which percentages of a budget its owner is warned until they choose others. */
const BUDGET_STEPS = [80, 95] as const;

/** A setting of the account, in rising order; none = no warnings. What is no list of percentages is the default. */
export function budgetSteps(setting: unknown): number[] {
  if (!Array.isArray(setting)) return [...BUDGET_STEPS];
  const steps = setting.filter((step) => Number.isInteger(step) && step >= 1 && step <= 100);
  return [...new Set<number>(steps)].sort((a, b) => a - b);
}

/** Translates a failure. */
export type Say = (failure: AppError) => string;

/** The current user's targets, oldest first, without secrets. */
export async function listTargets(ctx: ServiceContext, say: Say): Promise<NotificationTarget[]> {
  const actor = requireRole(ctx, ROLE.user);
  const rows = await ctx.db
    .select({
      id: notificationTargets.id,
      kind: notificationTargets.kind,
      name: notificationTargets.name,
      hint: notificationTargets.hint,
      configCipher: notificationTargets.configCipher,
      events: notificationTargets.events,
      enabled: notificationTargets.enabled,
      lastSentAt: notificationTargets.lastSentAt,
      lastError: notificationTargets.lastError,
    })
    .from(notificationTargets)
    .where(eq(notificationTargets.userId, actor.id))
    .orderBy(asc(notificationTargets.createdAt), asc(notificationTargets.id));
  return rows.flatMap(({ configCipher, ...row }) => {
    const { kind } = row;
    if (!isTargetKind(kind)) return [];
    const failure = decodeFailure(row.lastError);
    const config = publicConfig(kind, openConfig(configCipher));
    const events = row.events.filter(isNotificationEvent);
    return [{ ...row, kind, config, events, lastError: failure ? say(failure) : "" }];
  });
}

/** The current user's notification settings, and the account limits shown with them. */
export async function getPreferences(ctx: ServiceContext): Promise<NotificationPreferences> {
  const actor = requireRole(ctx, ROLE.user);
  const [[row], { QuotaRemindThreshold, DefaultLanguage }] = await Promise.all([
    ctx.db
      .select({
        setting: sql<Record<string, unknown>>`${users.setting}`,
        concurrencyLimit: users.concurrencyLimit,
        email: users.email,
      })
      .from(users)
      .where(eq(users.id, actor.id)),
    loadOptions(ctx.db),
  ]);
  if (!row) throw new AppError("not_found", "userNotFound");
  return {
    ...readPreferences(row.setting, DefaultLanguage),
    siteThreshold: QuotaRemindThreshold,
    concurrencyLimit: row.concurrencyLimit,
    email: row.email ?? "",
  };
}

/** What the account has chosen; `usual` is the language where it has chosen none. */
export function readPreferences(setting: Record<string, unknown>, usual: Locale) {
  const { language, quota_warning_threshold: threshold } = setting;
  return {
    language: LOCALES.find((locale) => locale === language) ?? usual,
    threshold: typeof threshold === "number" ? threshold : null,
    acceptsUnpriced: setting.accept_unset_model_ratio_model === true,
    budgetWarnings: budgetSteps(setting.budget_warnings),
  };
}

const NOTICES_MAX = 20;
const UNREAD_MAX = 100;

/** The current user's latest messages, translated, newest first, and the number of unread ones (100 = 100 or more). */
export async function listNotices(ctx: ServiceContext, locale: Locale): Promise<{ unread: number; items: Notice[] }> {
  const actor = requireRole(ctx, ROLE.user);
  const own = eq(notifications.userId, actor.id);
  const unread = ctx.db
    .select({ one: sql`1` })
    .from(notifications)
    .where(and(own, isNull(notifications.readAt)))
    .limit(UNREAD_MAX)
    .as("unread");
  const [rows, [counted], options] = await Promise.all([
    ctx.db
      .select({
        id: notifications.id,
        event: notifications.event,
        params: sql<Record<string, unknown>>`${notifications.params}`,
        createdAt: notifications.createdAt,
        readAt: notifications.readAt,
      })
      .from(notifications)
      .where(own)
      .orderBy(desc(notifications.id))
      .limit(NOTICES_MAX),
    ctx.db.select({ count: sql<number>`count(*)::int` }).from(unread),
    loadOptions(ctx.db),
  ]);
  const items = rows.flatMap(({ id, event, params, createdAt, readAt }) => {
    if (!isNotificationEvent(event)) return [];
    const { title, content } = renderEvent(event, params, locale, options);
    return [{ id, event, title, content, path: eventDefinition(event).path, createdAt, read: readAt !== null }];
  });
  return { unread: counted?.count ?? 0, items };
}

/** The site's announcement with its fingerprint and whether the current user has seen it; null without an announcement. */
export async function findAnnouncement(
  ctx: ServiceContext,
): Promise<{ text: string; fingerprint: string; seen: boolean } | null> {
  const actor = requireRole(ctx, ROLE.user);
  const { Notice: text } = await loadOptions(ctx.db);
  if (text.trim() === "") return null;
  const fingerprint = sha256Hex(text).slice(0, 16);
  const [row] = await ctx.db
    .select({ seen: sql<string | null>`${users.setting}->>'announcement_seen'` })
    .from(users)
    .where(eq(users.id, actor.id));
  return { text, fingerprint, seen: row?.seen === fingerprint };
}
