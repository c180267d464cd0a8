import { and, eq, isNull, lt, or } from "drizzle-orm";
import { z } from "zod";
import { captures, tokens, users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { nowSeconds } from "@/lib/clock";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { parseInput } from "@/lib/validation";
import { CAPTURE_SPANS } from "./types";

export const captureIdSchema = z.object({ id: z.number().int().positive() });

export const captureKeySchema = z.object({
  tokenId: z.number().int().positive(),
  /** How long; 0 = no longer, -1 = until it is switched off, which only the key's user may choose. */
  seconds: z
    .number("captureSpanInvalid")
    .refine((seconds) => [0, -1, ...CAPTURE_SPANS].includes(seconds), { message: "captureSpanInvalid" }),
});

/**
 * Switches capturing of a key on, for a time, or off. Its user may always switch it off, and on while the site allows
 * it; so may an administrator for keys of users below, but only for a time. Recorded in the audit log.
 */
export async function setKeyCapture(ctx: ServiceContext, input: z.input<typeof captureKeySchema>): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { tokenId, seconds } = parseInput(captureKeySchema, input);
  const { CaptureEnabled } = await loadOptions(ctx.db);
  if (seconds !== 0 && !CaptureEnabled) throw new AppError("forbidden", "captureOff");
  const own = eq(tokens.userId, actor.id);
  const below = actor.role >= ROLE.root ? undefined : or(own, lt(users.role, actor.role));
  const captureUntil = seconds > 0 ? nowSeconds() + seconds : seconds;
  await ctx.db.transaction(async (tx) => {
    const [token] = await tx
      .select({ userId: tokens.userId, before: tokens.captureUntil })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(and(eq(tokens.id, tokenId), isNull(tokens.deletedAt), actor.role >= ROLE.admin ? below : own))
      .for("update", { of: tokens });
    if (!token) throw new AppError("not_found", "tokenNotFound");
    if (token.userId !== actor.id && seconds === -1) throw new AppError("invalid", "captureSpanInvalid");
    const captureByAdmin = token.userId !== actor.id && seconds > 0;
    await tx.update(tokens).set({ captureUntil, captureByAdmin }).where(eq(tokens.id, tokenId));
    await writeAudit(tx, ctx, {
      action: "capture.switch",
      subject: `token:${tokenId}`,
      before: { captureUntil: token.before },
      after: { captureUntil },
    });
  });
}

/** Deletes a capture of the current user's. */
export async function deleteCapture(ctx: ServiceContext, input: z.input<typeof captureIdSchema>): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const { id } = parseInput(captureIdSchema, input);
  const rows = await ctx.db
    .delete(captures)
    .where(and(eq(captures.id, id), eq(captures.userId, actor.id)))
    .returning({ id: captures.id });
  if (rows.length === 0) throw new AppError("not_found", "captureNotFound");
}

/** Deletes all captures of the current user's. */
export async function deleteCaptures(ctx: ServiceContext): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  await ctx.db.delete(captures).where(eq(captures.userId, actor.id));
}
