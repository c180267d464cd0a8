import { eq } from "drizzle-orm";
import { users } from "@/db/schema";
import { ROLE, requireRole, type ServiceContext, type UserActor } from "@/lib/context";
import { verifyPassword } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { hasRecentProof } from "@/lib/proof";
import { type FactorKind, listFactorKinds } from "./factor-queries";
import type { AuthenticationAnswer } from "./passkey";
import { finishPasskeyProof, startPasskeyProof } from "./passkey-proof-commands";
import type { RelyingParty } from "./relying-party";
import { confirmSession } from "./session-commands";
import { countAttempt, forgiveAttempt } from "./throttle";
import { verifyFactorCode } from "./totp-commands";

type SessionActor = UserActor & { session: NonNullable<UserActor["session"]> };

function requireSession(ctx: ServiceContext): SessionActor {
  const actor = requireRole(ctx, ROLE.user);
  const { session } = actor;
  if (!session) throw new AppError("forbidden", "sessionRequired");
  return { ...actor, session };
}

/** How the current user can confirm. Empty for an account with neither password nor factors: it must sign in again. */
export async function listStepUpKinds(ctx: ServiceContext): Promise<FactorKind[]> {
  return listFactorKinds(ctx.db, requireSession(ctx).id);
}

/** Confirms the session by password; attempts count like sign-in attempts. */
export async function confirmByPassword(ctx: ServiceContext, input: { password: string }): Promise<void> {
  const actor = requireSession(ctx);
  await assertPassword(ctx, actor.id, input.password);
  await confirmSession(ctx.db, actor.session.id);
}

async function assertPassword(ctx: ServiceContext, userId: number, password: string): Promise<void> {
  const attempt = { subject: `id:${userId}`, userId, clientIp: ctx.clientIp };
  await countAttempt(ctx.db, attempt);
  const [row] = await ctx.db.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId));
  if (!(await verifyPassword(password, row?.passwordHash ?? null))) {
    throw new AppError("invalid", "confirmPasswordWrong", { field: "password" });
  }
  await forgiveAttempt(ctx.db, attempt);
}

/** A proof that a client without dialogs sends along with the call itself. */
export type ProofAlong = { password?: string | undefined; code?: string | undefined };

/**
 * The context of a call that carries its own proof; the same context when it carries none or needs none. A session is
 * confirmed by it too. For an access token of an account with an authenticator the password is no proof, because that
 * caller has never shown a code. Throws invalid for a wrong password or code, rate_limited.
 */
export async function proveAlong(ctx: ServiceContext, { password, code }: ProofAlong): Promise<ServiceContext> {
  const { actor } = ctx;
  if (actor.type !== "user" || hasRecentProof(actor)) return ctx;
  if (code !== undefined) await verifyFactorCode(ctx.db, { userId: actor.id, clientIp: ctx.clientIp, code });
  else if (password === undefined) return ctx;
  else {
    const needsCode = !actor.session && (await listFactorKinds(ctx.db, actor.id)).includes("totp");
    if (needsCode) throw new AppError("step_up_required", "stepUpCodeNeeded");
    await assertPassword(ctx, actor.id, password);
  }
  if (actor.session) await confirmSession(ctx.db, actor.session.id);
  return { ...ctx, actor: { ...actor, proved: true } };
}

/** Confirms the session by an authenticator code or a recovery code. */
export async function confirmByCode(ctx: ServiceContext, input: { code: string }): Promise<void> {
  const actor = requireSession(ctx);
  await verifyFactorCode(ctx.db, { userId: actor.id, clientIp: ctx.clientIp, code: input.code });
  await confirmSession(ctx.db, actor.session.id);
}

/** A challenge for the current user's passkeys. Throws conflict when there are none. */
export async function startPasskeyConfirmation(ctx: ServiceContext, party: RelyingParty) {
  const actor = requireSession(ctx);
  const options = await startPasskeyProof(ctx.db, party, { kind: "passkey-step-up", userId: actor.id });
  if ((options.allowCredentials ?? []).length === 0) throw new AppError("conflict", "passkeyNone");
  return options;
}

export async function finishPasskeyConfirmation(
  ctx: ServiceContext,
  party: RelyingParty,
  input: { response: AuthenticationAnswer },
): Promise<void> {
  const actor = requireSession(ctx);
  await finishPasskeyProof(ctx.db, party, { kind: "passkey-step-up", userId: actor.id, ...input });
  await confirmSession(ctx.db, actor.session.id);
}
