import { randomBytes } from "node:crypto";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "@/db/client";
import { users } from "@/db/schema";
import { issueSecret, MAILED_SECRET_SECONDS, revokeSecret, type SecretName } from "@/lib/auth/one-time-secret/commands";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { resetMail, verificationMail } from "@/lib/mail/account-mails";
import { sendMail } from "@/lib/mail/send-mail";
import type { RenderedMail } from "@/lib/mail/template";
import { loadOptions } from "@/lib/option/queries";
import { confirmedAddress } from "@/lib/request/public-address";
import { parseInput } from "@/lib/validation";
import { assertEmailAllowed, emailSchema } from "./email";
import { EMAIL_CODE, makeEmailCode } from "./email-code";
import { type MailRequestInput, mailRequestSchema } from "./schemas";
import { countCritical, countMessage, forgivePause } from "./throttle";
import { requireHuman } from "./turnstile";

export const RESET_KIND = "password-reset";
const TOKEN_BYTES = 32;
const minutes = MAILED_SECRET_SECONDS / 60;

/**
 * Mails a code that verifies an e-mail address, for a sign-up or to bind it (contract §1.3). Throws invalid for an
 * invalid or forbidden address, conflict when an account has it (deleted ones included), rate_limited, and the errors
 * of sendMail.
 */
export async function sendVerificationCode(ctx: ServiceContext, input: MailRequestInput): Promise<void> {
  const { turnstile, locale, ...given } = parseInput(mailRequestSchema, input);
  await countCritical(ctx.db, "verification", ctx.clientIp);
  await requireHuman(ctx, turnstile);
  const email = parseInput(emailSchema, given.email);
  const options = await loadOptions(ctx.db);
  assertEmailAllowed(email, options);
  if (await isEmailTaken(ctx.db, email)) throw new AppError("conflict", "emailTaken", { field: "email" });
  const code = makeEmailCode();
  const mail = verificationMail({ locale, siteName: options.SystemName, minutes, code });
  await mailSecret(ctx.db, { kind: EMAIL_CODE.kind, subject: email, to: email }, code, mail);
}

/**
 * Mails a password reset link (contract §1.3). Throws not_found when no account has the address: B274 requires that
 * message, so the calls are rate-limited instead.
 */
export async function sendResetLink(ctx: ServiceContext, input: MailRequestInput): Promise<void> {
  const { turnstile, locale, ...given } = parseInput(mailRequestSchema, input);
  await countCritical(ctx.db, "reset", ctx.clientIp);
  await requireHuman(ctx, turnstile);
  const email = parseInput(emailSchema, given.email);
  if (!(await findByEmail(ctx.db, email))) throw new AppError("not_found", "emailNotRegistered", { field: "email" });
  const options = await loadOptions(ctx.db);
  const site = confirmedAddress(options);
  const token = randomBytes(TOKEN_BYTES).toString("base64url");
  const url = `${site}/user/reset?${new URLSearchParams({ email, token })}`;
  const mail = resetMail({ locale, siteName: options.SystemName, minutes, url });
  await mailSecret(ctx.db, { kind: RESET_KIND, subject: email, to: email }, token, mail);
}

/** Sends a secret to a mailbox. If sending fails, the secret is removed and a new one may be requested at once. */
export async function mailSecret(
  db: Database,
  { to, ...name }: SecretName & { to: string },
  secret: string,
  mail: RenderedMail,
): Promise<void> {
  await countMessage(db, name.kind, to);
  await issueSecret(db, { ...name, secret, lifetimeSeconds: MAILED_SECRET_SECONDS });
  try {
    await sendMail(db, { to, ...mail });
  } catch (error) {
    await revokeSecret(db, name);
    await forgivePause(db, name.kind, to);
    throw error;
  }
}

/** Whether any account has the address; deleted accounts keep theirs. */
export async function isEmailTaken(db: Database, email: string): Promise<boolean> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.email})`, email));
  return row !== undefined;
}

/** The account with this address that is not deleted, or null. */
export async function findByEmail(db: Database, email: string): Promise<{ id: number } | null> {
  const [row] = await db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(sql`lower(${users.email})`, email), isNull(users.deletedAt)));
  return row ?? null;
}
