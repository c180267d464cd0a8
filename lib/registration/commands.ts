import { eq, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { writeAudit } from "@/lib/audit/commands";
import { consumeSecret, verifySecret } from "@/lib/auth/one-time-secret/commands";
import { revokeSessionsOf } from "@/lib/auth/session-commands";
import { requireRecentProof } from "@/lib/auth/step-up";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { hashPassword, randomAlphanumeric } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { tellPasswordChange } from "@/lib/notify/account-commands";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import { isUniqueViolation } from "@/lib/unique-violation";
import { type CreatedAccount, createAccount } from "@/lib/user/create-account-commands";
import { parseInput } from "@/lib/validation";
import { assertEmailAllowed, emailSchema } from "./email";
import { EMAIL_CODE, readEmailCode } from "./email-code";
import { findByEmail, isEmailTaken, RESET_KIND } from "./mail-commands";
import {
  type BindEmailInput,
  bindEmailSchema,
  type RegisterInput,
  type ResetPasswordInput,
  registerSchema,
  resetPasswordSchema,
} from "./schemas";
import { countCritical } from "./throttle";
import { requireHuman } from "./turnstile";

const NEW_PASSWORD_LENGTH = 12;

/** An e-mail address and the code that proves it, in the form in which they are kept. */
type ProvedEmail = { kind: typeof EMAIL_CODE.kind; subject: string; secret: string };

/**
 * Signs up by user name and password; nobody is signed in by it. The checks come in the order of contract §9.1. Throws
 * forbidden where sign-up is closed, invalid for input that does not fit or an e-mail code that is wrong, conflict for a
 * name or address that is taken, rate_limited.
 */
export async function registerByPassword(
  ctx: ServiceContext,
  input: RegisterInput & { turnstile?: string | undefined },
): Promise<CreatedAccount> {
  await countCritical(ctx.db, "register", ctx.clientIp);
  await requireHuman(ctx, input.turnstile);
  const options = await loadOptions(ctx.db);
  if (!options.RegisterEnabled) throw new AppError("forbidden", "registrationDisabled");
  if (!options.PasswordRegisterEnabled) throw new AppError("forbidden", "passwordRegistrationDisabled");
  const { username, password, affCode, ...given } = parseInput(registerSchema, input);
  const proved = options.EmailVerificationEnabled ? await proveEmail(ctx.db, given, options) : null;
  const passwordHash = await hashPassword(password);
  return ctx.db.transaction(async (tx) => {
    if (proved && !(await consumeSecret(tx, proved))) throw new AppError("invalid", "emailCodeWrong");
    return createAccount(tx, ctx, {
      username,
      passwordHash,
      email: proved?.subject ?? null,
      ...(affCode ? { inviteCode: affCode } : {}),
      method: "password",
    });
  });
}

async function proveEmail(
  db: Database,
  given: { email?: string | null | undefined; verificationCode?: string | null | undefined },
  options: OptionValues,
): Promise<ProvedEmail> {
  if (!given.email || !given.verificationCode) throw new AppError("invalid", "emailVerificationNeeded");
  const subject = parseInput(emailSchema, given.email);
  assertEmailAllowed(subject, options);
  const proved = { kind: EMAIL_CODE.kind, subject, secret: readEmailCode(given.verificationCode) };
  if (!(await verifySecret(db, { ...proved, attemptsMax: EMAIL_CODE.attemptsMax }))) {
    throw new AppError("invalid", "emailCodeWrong", { field: "verificationCode" });
  }
  return proved;
}

/**
 * Sets a new random password by a link that was mailed, ends every session of the account and returns the password,
 * the only time anybody sees it. A link works once. Throws invalid for everything that is wrong with it.
 */
export async function resetPassword(ctx: ServiceContext, input: ResetPasswordInput): Promise<string> {
  const { email, token } = parseInput(resetPasswordSchema, input);
  await countCritical(ctx.db, "reset-confirm", ctx.clientIp);
  const password = randomAlphanumeric(NEW_PASSWORD_LENGTH);
  await ctx.db.transaction(async (tx) => {
    const used = await consumeSecret(tx, { kind: RESET_KIND, subject: email, secret: token });
    const account = used && (await findByEmail(tx, email));
    if (!account) throw new AppError("invalid", "resetLinkInvalid");
    // Not before: guessing at links must not cost the server what a password does.
    const passwordHash = await hashPassword(password);
    await tx
      .update(users)
      .set({ passwordHash, initialPassword: 0, sessionVersion: sql`${users.sessionVersion} + 1` })
      .where(eq(users.id, account.id));
    await revokeSessionsOf(tx, account.id);
    await tellPasswordChange(tx, ctx, account.id);
    await writeAudit(tx, ctx, { action: "user.reset-password", subject: `user:${account.id}` });
  });
  return password;
}

/**
 * Binds an address to the caller's account by the code that was mailed there, in place of an earlier one. Takes a session
 * that was confirmed of late.
 */
export async function bindEmail(ctx: ServiceContext, input: BindEmailInput): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const given = parseInput(bindEmailSchema, input);
  // By its address an account's password can be reset: a borrowed browser must not put its own there.
  requireRecentProof(ctx);
  await countCritical(ctx.db, "email-bind", ctx.clientIp);
  const options = await loadOptions(ctx.db);
  const proved = await proveEmail(ctx.db, { email: given.email, verificationCode: given.code }, options);
  try {
    await ctx.db.transaction(async (tx) => {
      if (!(await consumeSecret(tx, proved))) throw new AppError("invalid", "emailCodeWrong");
      if (await isEmailTaken(tx, proved.subject)) throw new AppError("conflict", "emailTaken", { field: "email" });
      await tx.update(users).set({ email: proved.subject }).where(eq(users.id, actor.id));
      await writeAudit(tx, ctx, { action: "user.bind-email", subject: `user:${actor.id}` });
    });
  } catch (error) {
    // Another account took the address between the look and the write.
    if (isUniqueViolation(error)) throw new AppError("conflict", "emailTaken", { field: "email" }, error);
    throw error;
  }
}
