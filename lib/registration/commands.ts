import { eq } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { isUniqueViolation } from "@/db/sql-state";
import { writeAudit } from "@/lib/audit/commands";
import { consumeSecret, verifySecret } from "@/lib/auth/one-time-secret/commands";
import { endAccess } from "@/lib/auth/session-commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { hashPassword, randomAlphanumeric } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { tellPasswordChange } from "@/lib/notify/account-commands";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";
import { requireProofOfSession } from "@/lib/proof";
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

/** An e-mail address and its verification code, as they are stored. */
type ProvedEmail = { kind: typeof EMAIL_CODE.kind; subject: string; secret: string };

/**
 * Registers a user by name and password, without signing in. The checks are in the order of contract §9.1. Throws
 * forbidden where sign-up is closed, invalid for invalid input or a wrong e-mail code, conflict for a name or address
 * that is taken, rate_limited.
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
 * Sets a new random password through a mailed link, ends every session of the account and returns the password, which
 * is not shown again. A link works once. Throws invalid for any problem with the link.
 */
export async function resetPassword(ctx: ServiceContext, input: ResetPasswordInput): Promise<string> {
  const { email, token } = parseInput(resetPasswordSchema, input);
  await countCritical(ctx.db, "reset-confirm", ctx.clientIp);
  const password = randomAlphanumeric(NEW_PASSWORD_LENGTH);
  await ctx.db.transaction(async (tx) => {
    const used = await consumeSecret(tx, { kind: RESET_KIND, subject: email, secret: token });
    const account = used && (await findByEmail(tx, email));
    if (!account) throw new AppError("invalid", "resetLinkInvalid");
    // Hashed only after the link is verified: guessing links must not cost the server a password hash each.
    const passwordHash = await hashPassword(password);
    await tx.update(users).set({ passwordHash, initialPassword: 0 }).where(eq(users.id, account.id));
    await endAccess(tx, account.id);
    await tellPasswordChange(tx, ctx, account.id);
    await writeAudit(tx, ctx, { action: "user.reset-password", subject: `user:${account.id}` });
  });
  return password;
}

/** Binds an e-mail address to the current user by the code mailed to it; replaces an earlier address. A session needs a recent proof. */
export async function bindEmail(ctx: ServiceContext, input: BindEmailInput): Promise<void> {
  const actor = requireRole(ctx, ROLE.user);
  const given = parseInput(bindEmailSchema, input);
  // The password can be reset through this address, so an unattended browser must not be enough to change it.
  requireProofOfSession(ctx);
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
    // Another account took the address between the read and the write.
    if (isUniqueViolation(error)) throw new AppError("conflict", "emailTaken", { field: "email" }, error);
    throw error;
  }
}
