import { z } from "zod";
import type { Database } from "@/db/client";
import { verifyPassword } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { USER_STATUS } from "@/lib/row-status";
import { parseInput } from "@/lib/validation";
import { renewPasswordHash } from "./commands";
import { listFactorKinds } from "./factor-queries";
import { type AccountRow, findAccountByLogin } from "./queries";
import { countAttempt, forgiveAttempt } from "./throttle";
import { issueTicket, type Ticket } from "./ticket-commands";

/** The bounds only reject absurd input; the hash decides whether the password is right. */
export const loginSchema = z.object({
  username: z.string("credentialsMissing").trim().min(1, "credentialsMissing").max(254, "credentialsWrong"),
  password: z.string("credentialsMissing").min(1, "credentialsMissing").max(256, "credentialsWrong"),
});
export type LoginInput = z.input<typeof loginSchema>;

/** The password was right: the account is signed in, or must show a second factor. */
export type LoginStep = { done: true; account: AccountRow } | { done: false; ticket: Ticket };

/**
 * First step of signing in, by user name (or e-mail address) and password. An account with an authenticator gets a
 * ticket for the second step instead of the account, so that no session can be created too early. Every refusal has the
 * same message, so that it does not reveal which accounts exist. Throws rate_limited after too many attempts
 * (throttle.ts). `human`: the human check was passed.
 */
export async function loginByPassword(
  db: Database,
  input: LoginInput & { ip: string; human: boolean },
): Promise<LoginStep> {
  const { username, password } = parseInput(loginSchema, input);
  const options = await loadOptions(db);
  if (!options.PasswordLoginEnabled) throw new AppError("forbidden", "passwordLoginDisabled");
  const found = await findAccountByLogin(db, username);
  const subject = found ? `id:${found.id}` : `name:${username.toLowerCase()}`;
  const attempt = { subject, userId: found?.id ?? null, clientIp: input.ip, human: input.human };
  await countAttempt(db, attempt);
  const right = await verifyPassword(password, found?.passwordHash ?? null);
  if (!found || !right || found.status !== USER_STATUS.enabled)
    throw new AppError("unauthenticated", "credentialsWrong");
  await forgiveAttempt(db, attempt);
  const { passwordHash, ...account } = found;
  await renewPasswordHash(db, account.id, passwordHash, password);
  const kinds = await listFactorKinds(db, account.id);
  if (!kinds.includes("totp")) return { done: true, account };
  return { done: false, ticket: await issueTicket(db, { account, passkey: kinds.includes("passkey") }) };
}
