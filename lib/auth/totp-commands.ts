import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import QRCode from "qrcode";
import type { Database } from "@/db/client";
import { totpFactors } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { seal, unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { requireRecentProof } from "@/lib/proof";
import { tellFactorChange } from "./tell-factor-change";
import { countFactorAttempt, type FactorAttempt, forgiveFactorAttempts } from "./throttle";
import { hashRecoveryCode, matchTotpStep, newRecoveryCodes, newTotpSecret, totpAddress } from "./totp";

/** Shown once. `qrCode` is an SVG as a data URL. */
export type TotpSetup = { secret: string; address: string; qrCode: string };

/**
 * Creates a secret for the current user's authenticator. It has no effect until a code from it is confirmed; a second
 * call replaces the secret. Throws conflict when an authenticator is already enabled.
 */
export async function startTotpSetup(ctx: ServiceContext): Promise<TotpSetup> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  const secret = newTotpSecret();
  const fresh = { secretCipher: seal(secret), lastStep: 0, recoveryHashes: [] };
  const kept = await ctx.db
    .insert(totpFactors)
    .values({ userId: actor.id, ...fresh })
    .onConflictDoUpdate({ target: totpFactors.userId, set: fresh, setWhere: isNull(totpFactors.enabledAt) })
    .returning({ userId: totpFactors.userId });
  if (kept.length === 0) throw new AppError("conflict", "totpAlreadyEnabled");
  const { SystemName: issuer } = await loadOptions(ctx.db);
  const address = totpAddress({ secret, issuer, account: actor.username });
  const svg = await QRCode.toString(address, { type: "svg", margin: 2, errorCorrectionLevel: "M" });
  return { secret, address, qrCode: `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}` };
}

/** Enables the authenticator if the code is right. Returns the recovery codes, which are never shown again. */
export async function enableTotp(ctx: ServiceContext, input: { code: string }): Promise<string[]> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  const attempt = { userId: actor.id, clientIp: ctx.clientIp };
  await countFactorAttempt(ctx.db, attempt);
  const codes = newRecoveryCodes();
  await ctx.db.transaction(async (tx) => {
    const [factor] = await tx
      .select({ secretCipher: totpFactors.secretCipher, enabledAt: totpFactors.enabledAt })
      .from(totpFactors)
      .where(eq(totpFactors.userId, actor.id))
      .for("update");
    if (!factor) throw new AppError("conflict", "totpNotStarted");
    if (factor.enabledAt !== null) throw new AppError("conflict", "totpAlreadyEnabled");
    const step = matchTotpStep(unseal(factor.secretCipher), input.code, Date.now());
    if (step === null) throw new AppError("invalid", "factorCodeWrong", { field: "code" });
    await tx
      .update(totpFactors)
      .set({ enabledAt: nowSeconds(), lastStep: step, recoveryHashes: hashAll(actor.id, codes) })
      .where(eq(totpFactors.userId, actor.id));
    await writeAudit(tx, ctx, { action: "user.totp-enable", subject: `user:${actor.id}` });
    await tellFactorChange(tx, ctx, actor.id);
  });
  await forgiveFactorAttempts(ctx.db, attempt);
  return codes;
}

/** Disables the current user's authenticator and removes its recovery codes. */
export async function disableTotp(ctx: ServiceContext): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  await ctx.db.transaction(async (tx) => {
    const gone = await tx
      .delete(totpFactors)
      .where(and(eq(totpFactors.userId, actor.id), isNotNull(totpFactors.enabledAt)))
      .returning({ userId: totpFactors.userId });
    if (gone.length === 0) throw new AppError("conflict", "totpNotEnabled");
    await writeAudit(tx, ctx, { action: "user.totp-disable", subject: `user:${actor.id}` });
    await tellFactorChange(tx, ctx, actor.id);
  });
}

/** Replaces the recovery codes by ten new ones. */
export async function renewRecoveryCodes(ctx: ServiceContext): Promise<string[]> {
  const actor = requireRole(ctx, ROLE.user);
  requireRecentProof(ctx);
  const codes = newRecoveryCodes();
  await ctx.db.transaction(async (tx) => {
    const renewed = await tx
      .update(totpFactors)
      .set({ recoveryHashes: hashAll(actor.id, codes) })
      .where(and(eq(totpFactors.userId, actor.id), isNotNull(totpFactors.enabledAt)))
      .returning({ userId: totpFactors.userId });
    if (renewed.length === 0) throw new AppError("conflict", "totpNotEnabled");
    await writeAudit(tx, ctx, { action: "user.recovery-codes-renew", subject: `user:${actor.id}` });
  });
  return codes;
}

/**
 * Checks an authenticator code or a recovery code; each is valid once. Throws invalid for a wrong one, rate_limited
 * after ten wrong ones in a quarter of an hour.
 */
export async function verifyFactorCode(db: Database, input: FactorAttempt & { code: string }): Promise<void> {
  const { userId } = input;
  await countFactorAttempt(db, input);
  const right = await db.transaction(async (tx) => {
    const [factor] = await tx
      .select({
        secretCipher: totpFactors.secretCipher,
        lastStep: totpFactors.lastStep,
        recoveryHashes: totpFactors.recoveryHashes,
      })
      .from(totpFactors)
      .where(and(eq(totpFactors.userId, userId), isNotNull(totpFactors.enabledAt)))
      .for("update");
    if (!factor) return false;
    const step = matchTotpStep(unseal(factor.secretCipher), input.code.replaceAll(/\s/g, ""), Date.now());
    const recovery = hashRecoveryCode(userId, input.code);
    if (step === null && !factor.recoveryHashes.includes(recovery)) return false;
    if (step !== null && step <= factor.lastStep) return false;
    const used =
      step === null
        ? { recoveryHashes: sql`array_remove(${totpFactors.recoveryHashes}, ${recovery})` }
        : { lastStep: step };
    await tx.update(totpFactors).set(used).where(eq(totpFactors.userId, userId));
    return true;
  });
  if (!right) throw new AppError("invalid", "factorCodeWrong", { field: "code" });
  await forgiveFactorAttempts(db, input);
}

function hashAll(userId: number, codes: readonly string[]): string[] {
  return codes.map((code) => hashRecoveryCode(userId, code));
}
