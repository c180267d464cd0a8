import { z } from "zod";
import type { Database } from "@/db/client";
import { verifyPassword } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { parseInput } from "@/lib/validation";
import { type AccountRow, findAccountByLogin } from "./queries";
import { countAttempt, forgiveAttempt } from "./throttle";

/** Bounds only keep nonsense out; whether the password is right is for the hash to say. */
export const loginSchema = z.object({
  username: z.string("credentialsMissing").trim().min(1, "credentialsMissing").max(254, "credentialsWrong"),
  password: z.string("credentialsMissing").min(1, "credentialsMissing").max(256, "credentialsWrong"),
});
export type LoginInput = z.input<typeof loginSchema>;

/**
 * The account for a user name (or e-mail address) and password. One message for every refusal, so that nobody learns
 * which accounts exist. Throws rate_limited after too many attempts for the account or from the address.
 */
export async function loginByPassword(db: Database, input: LoginInput & { ip: string }): Promise<AccountRow> {
  const { username, password } = parseInput(loginSchema, input);
  const options = await loadOptions(db);
  if (!options.PasswordLoginEnabled) throw new AppError("forbidden", "passwordLoginDisabled");
  const found = await findAccountByLogin(db, username);
  const account = found ? `id:${found.id}` : `name:${username.toLowerCase()}`;
  await countAttempt(db, account, input.ip);
  const right = await verifyPassword(password, found?.passwordHash ?? null);
  if (!found || !right || found.status !== 1) throw new AppError("unauthenticated", "credentialsWrong");
  await forgiveAttempt(db, account, input.ip);
  const { passwordHash: _, ...row } = found;
  return row;
}
