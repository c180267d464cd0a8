import { and, count, eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { notificationTargets, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { refuseChanged } from "@/lib/seen";
import { parseInput } from "@/lib/validation";
import { eventDefinition, isNotificationEvent, type NotificationEvent } from "./events";
import { readPreferences } from "./queries";
import {
  type PreferencesInput,
  preferencesSchema,
  type SaveTargetInput,
  saveTargetSchema,
  targetEnabledSchema,
  targetIdSchema,
  targetSchema,
} from "./schemas";
import { hintOf, openConfig, publicConfig, readConfig } from "./target-config";
import { isTargetKind, type TargetConfig, type TargetKind } from "./target-kinds";

/** Limits how many receivers one account can send messages to. */
export const TARGETS_MAX = 10;

/** Throws unless the current user has proved to read this mailbox (lib/registration/confirm-address-commands.ts). */
export type ConfirmAddress = (ctx: ServiceContext, given: { address: string; code: string }) => Promise<void>;

/** Where nobody can be asked for a code, only a confirmed address is accepted. */
export const refuseAddress: ConfirmAddress = async () => {
  throw new AppError("invalid", "notifyUnconfirmed", { field: "config.address" });
};

type Own = { kind: string; name: string; events: NotificationEvent[]; configCipher: string };

/**
 * Adds a target of the current user, or changes the given fields of one; the kind cannot be changed. Returns its id and, for a
 * webhook without a secret, the generated secret, which is shown only once. Throws conflict for a field that somebody else has
 * changed since the client saw it.
 */
export async function saveTarget(
  ctx: ServiceContext,
  input: SaveTargetInput,
  confirm: ConfirmAddress = refuseAddress,
): Promise<{ id: number; madeSecret: string | null }> {
  const actor = requireRole(ctx, ROLE.user);
  const { id, seen, ...changes } = parseInput(saveTargetSchema, input);
  const given = changes.config ?? {};
  const isMail = (changes.kind ?? "email") === "email" && given.address !== undefined;
  const confirmed = isMail ? await confirmGiven(ctx, { id, given, confirm }) : undefined;
  return ctx.db.transaction(async (tx) => {
    const before = id === undefined ? null : await lockTarget(tx, actor, id);
    const known = before ? openConfig<TargetKind>(before.configCipher) : null;
    const open = before && known && isTargetKind(before.kind) ? publicConfig(before.kind, known) : {};
    refuseChanged({ ...before, ...underConfig(open) }, { ...changes, ...underConfig(given) }, seen);
    const merged = { ...before, ...changes, config: { ...open, ...given } };
    const { kind, name, events } = parseInput(targetSchema, merged);
    if (before && before.kind !== kind) throw new AppError("invalid", "fieldInvalid", { field: "kind" });
    assertEventsAllowed(actor, changes.events ?? []);
    const config = withConfirmed(
      readConfig(kind, merged.config, known),
      kind === "email" ? (confirmed ?? known?.confirmed ?? "") : undefined,
    );
    const values = { name, events, configCipher: seal(JSON.stringify(config)), hint: hintOf(config) };
    const savedId =
      id === undefined ? await insertTarget(tx, actor, { ...values, kind }) : await updateTarget(tx, id, values);
    await writeAudit(tx, ctx, {
      action: "notification.target-save",
      subject: `user:${actor.id}`,
      after: { target: savedId, kind, name, events, hint: values.hint },
    });
    const made = kind === "webhook" && (given.secret ?? "").trim() === "" && !known?.secret;
    return { id: savedId, madeSecret: made ? (config.secret ?? null) : null };
  });
}

/** The entries of a configuration as fields of the form. */
function underConfig(config: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(config).map(([name, text]) => [`config.${name}`, text]));
}

/** The stored configuration of a target: codes are used up, and a confirmed address stays so. */
export function withConfirmed(config: Record<string, string>, confirmed: string | undefined): Record<string, string> {
  return confirmed === undefined ? config : { ...config, code: "", confirmed };
}

/** Throws unless the given address is the confirmed one of the target, or is confirmed now. Returns it; "" for none. */
async function confirmGiven(
  ctx: ServiceContext,
  { id, given, confirm }: { id: number | undefined; given: Record<string, string>; confirm: ConfirmAddress },
): Promise<string> {
  const { address = "", code = "" } = readConfig("email", given, null);
  if (address === "") return "";
  const known = id === undefined ? null : await findConfig(ctx, id);
  if (known?.confirmed !== address) await confirm(ctx, { address, code });
  return address;
}

async function findConfig(ctx: ServiceContext, id: number): Promise<TargetConfig | null> {
  const { id: userId } = requireRole(ctx, ROLE.user);
  const [row] = await ctx.db
    .select({ configCipher: notificationTargets.configCipher })
    .from(notificationTargets)
    .where(and(eq(notificationTargets.id, id), eq(notificationTargets.userId, userId)));
  if (!row) throw new AppError("not_found", "notifyTargetNotFound");
  return openConfig<TargetKind>(row.configCipher);
}

/** Enables or disables a target of the current user. A disabled target gets nothing, not even queued messages. */
export async function setTargetEnabled(ctx: ServiceContext, input: { id: number; enabled: boolean }): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id, enabled } = parseInput(targetEnabledSchema, input);
  await ctx.db.transaction(async (tx) => {
    await lockTarget(tx, actor, id);
    await tx.update(notificationTargets).set({ enabled }).where(eq(notificationTargets.id, id));
    await markChosen(tx, actor.id);
    const action = enabled ? "notification.target-enable" : "notification.target-disable";
    await writeAudit(tx, ctx, { action, subject: `user:${actor.id}`, after: { target: id } });
  });
}

/** Deletes a target of the current user with its queued messages. */
export async function deleteTarget(ctx: ServiceContext, input: { id: number }): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id } = parseInput(targetIdSchema, input);
  await ctx.db.transaction(async (tx) => {
    const { kind } = await lockTarget(tx, actor, id);
    await tx.delete(notificationTargets).where(eq(notificationTargets.id, id));
    await markChosen(tx, actor.id);
    const after = { target: id, kind };
    await writeAudit(tx, ctx, { action: "notification.target-delete", subject: `user:${actor.id}`, after });
  });
}

/**
 * Sets what is given of the language of messages, the threshold of the low-balance warning (null = the site's), and whether models
 * without a price may be charged at the default ratio (contract §5.3). Throws conflict for what somebody else has changed since the
 * client saw it.
 */
export async function savePreferences(ctx: ServiceContext, input: PreferencesInput): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { seen, ...given } = parseInput(preferencesSchema, input);
  const values = JSON.stringify({
    language: given.language,
    quota_warning_threshold: given.threshold ?? undefined,
    accept_unset_model_ratio_model: given.acceptsUnpriced,
    budget_warnings: given.budgetWarnings,
  });
  const kept = given.threshold === null ? sql`${users.setting} - 'quota_warning_threshold'` : users.setting;
  const { DefaultLanguage } = await loadOptions(ctx.db);
  await ctx.db.transaction(async (tx) => {
    const own = eq(users.id, actor.id);
    const stored = sql<Record<string, unknown>>`${users.setting}`;
    const [row] = await tx.select({ setting: stored }).from(users).where(own).for("update");
    if (!row) throw new AppError("not_found", "userNotFound");
    refuseChanged(readPreferences(row.setting, DefaultLanguage), given, seen);
    await tx
      .update(users)
      .set({ setting: sql`${kept} || ${values}::jsonb` })
      .where(own);
  });
}

/** Throws conflict when the account already has TARGETS_MAX targets. */
export async function insertTarget(
  tx: Database,
  { id: userId }: { id: number },
  values: { kind: TargetKind; name: string; events: NotificationEvent[]; configCipher: string; hint: string },
): Promise<number> {
  // Locks the user's row first, so that the count below holds.
  await markChosen(tx, userId);
  const [own] = await tx
    .select({ count: count() })
    .from(notificationTargets)
    .where(eq(notificationTargets.userId, userId));
  if ((own?.count ?? 0) >= TARGETS_MAX) throw new AppError("conflict", "notifyTooManyTargets", { max: TARGETS_MAX });
  const [row] = await tx
    .insert(notificationTargets)
    .values({ ...values, userId })
    .returning({ id: notificationTargets.id });
  if (!row) throw new Error("no row after insert");
  return row.id;
}

async function updateTarget(
  tx: Database,
  id: number,
  values: { name: string; events: NotificationEvent[]; configCipher: string; hint: string },
): Promise<number> {
  await tx
    .update(notificationTargets)
    .set({ ...values, lastError: "" })
    .where(eq(notificationTargets.id, id));
  return id;
}

/** Records that the user has configured targets: from now on none is added automatically (see notify). */
async function markChosen(tx: Database, userId: number): Promise<void> {
  const setting = sql`${users.setting} || '{"notifications_chosen":true}'::jsonb`;
  await tx.update(users).set({ setting }).where(eq(users.id, userId));
}

async function lockTarget(tx: Database, actor: UserActor, id: number): Promise<Own> {
  const [row] = await tx
    .select({
      kind: notificationTargets.kind,
      name: notificationTargets.name,
      events: notificationTargets.events,
      configCipher: notificationTargets.configCipher,
    })
    .from(notificationTargets)
    .where(and(eq(notificationTargets.id, id), eq(notificationTargets.userId, actor.id)))
    .for("update");
  if (!row) throw new AppError("not_found", "notifyTargetNotFound");
  return { ...row, events: row.events.filter(isNotificationEvent) };
}

function assertEventsAllowed(actor: UserActor, events: readonly NotificationEvent[]): void {
  const refused = events.find((event) => actor.role < ROLE.root && eventDefinition(event).audience === "root");
  if (refused) throw new AppError("forbidden", "insufficientRights");
}
