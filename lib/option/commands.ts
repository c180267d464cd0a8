import { eq, sql } from "drizzle-orm";
import { ZodError } from "zod";
import type { Database } from "../../db/client";
import { auditEntries, options } from "../../db/schema";
import { ROLE, requireRole, type ServiceContext } from "../context";
import { seal } from "../crypto";
import { AppError } from "../errors";
import { isSecret, loadOptions } from "./queries";
import { isOptionKey, type OptionKey, type OptionValues, optionRegistry, parseOption } from "./registry";

/** A switch that needs another option to be filled first (contract §3.3). */
const NEEDS: Partial<Record<OptionKey, OptionKey>> = {
  GitHubOAuthEnabled: "GitHubClientId",
  LinuxDOOAuthEnabled: "LinuxDOClientId",
  "oidc.enabled": "oidc.client_id",
  WeChatAuthEnabled: "WeChatServerAddress",
  TelegramOAuthEnabled: "TelegramBotToken",
  TurnstileCheckEnabled: "TurnstileSiteKey",
  EmailDomainRestrictionEnabled: "EmailDomainWhitelist",
};

/**
 * Sets one option (root only). The text is checked before anything is written; an empty text for a secret means
 * "unchanged". Throws invalid for an unknown key, a text that does not fit, or a switch whose precondition is missing.
 */
export async function setOption(ctx: ServiceContext, key: string, text: string): Promise<void> {
  requireRole(ctx, ROLE.root);
  if (!isOptionKey(key)) throw new AppError("invalid", "optionUnknown", { key });
  if (isSecret(key) && text === "") return;
  const value = checkOption(key, text);
  await ctx.db.transaction(async (tx) => {
    if (value === true) assertPrecondition(key, await loadOptions(tx));
    await writeOption(tx, ctx, key, text);
  });
}

/** Puts the built-in model ratios back by removing what the operator set (contract §1.8). */
export async function resetModelRatio(ctx: ServiceContext): Promise<void> {
  requireRole(ctx, ROLE.root);
  await ctx.db.transaction(async (tx) => {
    await writeOption(tx, ctx, "ModelRatio", optionRegistry.ModelRatio.default);
  });
}

function checkOption(key: OptionKey, text: string): unknown {
  try {
    return parseOption(key, text);
  } catch (error) {
    if (!(error instanceof ZodError)) throw error;
    const reason = error.issues[0]?.message === "json" ? "optionNotJson" : "optionInvalid";
    throw new AppError("invalid", reason, { key }, error);
  }
}

function assertPrecondition(key: OptionKey, current: OptionValues): void {
  const needed = NEEDS[key];
  if (needed && current[needed] === "") throw new AppError("invalid", "optionNeeds", { key, needed });
}

async function writeOption(tx: Database, ctx: ServiceContext, key: OptionKey, text: string): Promise<void> {
  const secret = isSecret(key);
  const [before] = await tx.select({ value: options.value }).from(options).where(eq(options.key, key)).for("update");
  const value = secret ? seal(text) : text;
  await tx
    .insert(options)
    .values({ key, value, sealed: secret })
    .onConflictDoUpdate({
      target: options.key,
      set: { value, sealed: secret, updatedAt: sql`extract(epoch from now())::bigint` },
    });
  await tx.insert(auditEntries).values({
    actorId: ctx.actor.type === "user" ? ctx.actor.id : null,
    actorKind: ctx.actor.type,
    action: "option.set",
    subject: `option:${key}`,
    before: secret ? { secret: true } : { value: before?.value ?? optionRegistry[key].default },
    after: secret ? { secret: true } : { value: text },
    clientIp: ctx.clientIp,
  });
}
