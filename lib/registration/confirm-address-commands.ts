import { eq, sql } from "drizzle-orm";
import { users } from "@/db/schema";
import { consumeSecret, MAILED_SECRET_SECONDS, verifySecret } from "@/lib/auth/one-time-secret/commands";
import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { verificationMail } from "@/lib/mail/account-mails";
import { languageOf } from "@/lib/notify/deliver";
import { loadOptions } from "@/lib/option/queries";
import { makeEmailCode, readEmailCode } from "./email-code";
import { mailSecret } from "./mail-commands";
import { countCritical } from "./throttle";

const KIND = "notify-address";
const GUESSES_MAX = 5;

/**
 * Proves that the current user reads a mailbox before notifications go there: the account's own address is proved
 * already, another one by a code. Without a code it mails one and throws invalid, so that the caller asks for it. Throws
 * invalid for a wrong code, rate_limited, and the errors of sendMail.
 */
export async function confirmAddress(ctx: ServiceContext, given: { address: string; code: string }): Promise<void> {
  const { id } = requireRole(ctx, ROLE.user);
  const address = given.address.toLowerCase();
  const [account] = await ctx.db
    .select({ email: users.email, setting: sql<Record<string, unknown>>`${users.setting}` })
    .from(users)
    .where(eq(users.id, id));
  if (account?.email?.toLowerCase() === address) return;
  // The account is part of the subject: a code that another user asked for proves nothing.
  const name = { kind: KIND, subject: `${id}:${address}` };
  if (given.code !== "") {
    const proof = { ...name, secret: readEmailCode(given.code) };
    const isRight = await verifySecret(ctx.db, { ...proof, attemptsMax: GUESSES_MAX });
    if (isRight && (await consumeSecret(ctx.db, proof))) return;
    throw new AppError("invalid", "emailCodeWrong", { field: "config.code" });
  }
  await countCritical(ctx.db, "notify-address", ctx.clientIp);
  const options = await loadOptions(ctx.db);
  const code = makeEmailCode();
  const locale = languageOf(account?.setting ?? {}, options);
  const mail = verificationMail({ locale, siteName: options.SystemName, minutes: MAILED_SECRET_SECONDS / 60, code });
  await mailSecret(ctx.db, { ...name, to: address }, code, mail);
  throw new AppError("invalid", "notifyCodeSent", { field: "config.code" });
}
