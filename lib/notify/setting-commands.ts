import { and, asc, eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { notificationTargets, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { parseInput } from "@/lib/validation";
import { defaultEvents } from "./events";
import { type UserSettingInput, userSettingSchema } from "./schemas";
import { type ConfirmAddress, insertTarget, withConfirmed } from "./target-commands";
import { hintOf, openConfig, readConfig } from "./target-config";

type Kind = "email" | "webhook";

/**
 * Saves the settings of contract §1.6, which know one target by e-mail or webhook: the account's first target of the
 * chosen kind is updated and enabled, its first of the other kind is disabled, and all other targets stay unchanged.
 * Secrets are stored sealed in the target, not in the setting.
 */
export async function saveUserSetting(
  ctx: ServiceContext,
  input: UserSettingInput,
  confirm: ConfirmAddress,
): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const body = parseInput(userSettingSchema, input);
  const { notify_type: kind, notification_email: email = "" } = body;
  const given: Record<string, string> =
    kind === "email"
      ? { address: email, code: body.notification_code ?? "" }
      : { url: body.webhook_url ?? "", secret: body.webhook_secret ?? "" };
  const setting = {
    notify_type: kind,
    quota_warning_threshold: body.quota_warning_threshold,
    notification_email: email,
    webhook_url: body.webhook_url ?? "",
    accept_unset_model_ratio_model: body.accept_unset_model_ratio_model ?? false,
    notifications_chosen: true,
  };
  const confirmed = kind === "email" ? await confirmFirst(ctx, given, confirm) : undefined;
  await ctx.db.transaction(async (tx) => {
    await tx
      .update(users)
      .set({ setting: sql`${users.setting} || ${JSON.stringify(setting)}::jsonb` })
      .where(eq(users.id, actor.id));
    await saveFirst(tx, actor, { kind, given, confirmed });
    await switchFirstOff(tx, actor.id, kind === "email" ? "webhook" : "email");
    await writeAudit(tx, ctx, { action: "user.setting", subject: `user:${actor.id}`, after: setting });
  });
}

/** Throws unless the address is the confirmed one of the first e-mail target, or is confirmed now. */
async function confirmFirst(
  ctx: ServiceContext,
  given: Record<string, string>,
  confirm: ConfirmAddress,
): Promise<string> {
  const { id: userId } = requireRole(ctx, ROLE.user);
  const { address = "", code = "" } = readWireConfig("email", given, null);
  if (address === "") return "";
  const first = await findFirst(ctx.db, userId, "email");
  const known = first ? openConfig<Kind>(first.configCipher) : null;
  if (known?.confirmed !== address) await confirm(ctx, { address, code });
  return address;
}

async function saveFirst(
  tx: Database,
  actor: { id: number; role: number },
  { kind, given, confirmed }: { kind: Kind; given: Record<string, string>; confirmed: string | undefined },
): Promise<void> {
  const first = await findFirst(tx, actor.id, kind);
  const known = first ? openConfig<Kind>(first.configCipher) : null;
  const config = withConfirmed(readWireConfig(kind, given, known), confirmed);
  const values = { configCipher: seal(JSON.stringify(config)), hint: hintOf(config) };
  if (!first) {
    await insertTarget(tx, actor, { ...values, kind, name: "", events: defaultEvents(actor.role >= ROLE.root) });
    return;
  }
  const events = sql`case when 'balance_low' = any(${notificationTargets.events}) then ${notificationTargets.events}
    else ${notificationTargets.events} || 'balance_low'::text end`;
  await tx
    .update(notificationTargets)
    .set({ ...values, events, enabled: true, lastError: "" })
    .where(eq(notificationTargets.id, first.id));
}

/** Replaces errors that name config fields, because the API has other field names. */
function readWireConfig(kind: Kind, given: Record<string, string>, known: Record<string, string> | null) {
  try {
    return readConfig(kind, given, known);
  } catch (error) {
    if (!(error instanceof AppError) || kind === "webhook") {
      const isAddress = error instanceof AppError && String(error.params.field) === "config.url";
      if (isAddress && error.messageKey.startsWith("notify"))
        throw new AppError("invalid", "webhookUrlInvalid", {}, error);
      throw error;
    }
    throw new AppError("invalid", "emailInvalid", {}, error);
  }
}

async function switchFirstOff(tx: Database, userId: number, kind: Kind): Promise<void> {
  const first = await findFirst(tx, userId, kind);
  if (!first) return;
  await tx.update(notificationTargets).set({ enabled: false }).where(eq(notificationTargets.id, first.id));
}

async function findFirst(tx: Database, userId: number, kind: Kind) {
  const [row] = await tx
    .select({ id: notificationTargets.id, configCipher: notificationTargets.configCipher })
    .from(notificationTargets)
    .where(and(eq(notificationTargets.userId, userId), eq(notificationTargets.kind, kind)))
    .orderBy(asc(notificationTargets.createdAt), asc(notificationTargets.id))
    .limit(1)
    .for("update");
  return row ?? null;
}
