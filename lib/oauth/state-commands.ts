import { z } from "zod";
import type { Database } from "@/db/client";
import { consumeSecret, issueSecret, spendOnce } from "@/lib/auth/one-time-secret/commands";
import { seal, sha256Hex, unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { stateMismatch } from "./refusals";
import { TELEGRAM_LOGIN_SECONDS } from "./telegram";
import { OUTSIDE_PROVIDERS, type OutsideProvider } from "./types";

const KIND = "oauth-state";
/** Time for the user to sign in at the provider. */
const STATE_SECONDS = 600;

export type StatePurpose = {
  /** Null: the client opens GitHub's or LinuxDO's page itself (contract §1.3) and may choose either. */
  provider: OutsideProvider | null;
  /** Invite code, for an account that is created at the end. */
  aff: string;
  /** The signed-in user who began a binding; null for a sign-in. */
  userId: number | null;
};

/** next-auth's cookies for state, PKCE verifier and nonce, by name; empty when next-auth did not create the state. */
export type CheckCookies = Record<string, string>;

export type SpentState = StatePurpose & { checkCookies: CheckCookies };

const payloadSchema = z.object({
  provider: z.enum(OUTSIDE_PROVIDERS).nullable(),
  aff: z.string(),
  userId: z.number().nullable(),
  sealed: z.string(),
});
const cookiesSchema = z.record(z.string(), z.string());

/**
 * Stores a state with its data for ten minutes and one use. next-auth's cookies are stored here and not in the browser,
 * which can hold only one sign-in at a time and could send them twice. `browser` is the secret in the browser's cookie.
 */
export async function keepState(
  db: Database,
  given: { state: string; browser: string; purpose: StatePurpose; checkCookies: CheckCookies },
): Promise<void> {
  const { state, browser, purpose, checkCookies } = given;
  await issueSecret(db, {
    kind: KIND,
    subject: sha256Hex(state),
    secret: browser,
    lifetimeSeconds: STATE_SECONDS,
    payload: { ...purpose, sealed: seal(JSON.stringify(checkCookies)) },
  });
}

/**
 * Uses up a state. Throws forbidden (HTTP 403) unless it was created in this browser, for this provider, has not
 * expired and is unused.
 */
export async function spendState(
  db: Database,
  given: { state: string; browser: string | undefined; provider: OutsideProvider; isBound: boolean },
): Promise<SpentState> {
  const { state, browser, provider, isBound } = given;
  const payload =
    browser && state !== ""
      ? await consumeSecret(db, { kind: KIND, subject: sha256Hex(state), secret: browser })
      : null;
  if (!payload) throw stateMismatch();
  const { sealed, ...purpose } = payloadSchema.parse(payload);
  const fits = isBound ? purpose.provider === provider : (purpose.provider ?? provider) === provider;
  if (!fits) throw stateMismatch();
  return { ...purpose, checkCookies: cookiesSchema.parse(JSON.parse(unseal(sealed))) };
}

/** Uses up the hash of a Telegram login, so that its address, e.g. from a log, signs nobody in again. Throws invalid. */
export async function spendTelegramLogin(db: Database, hash: string): Promise<void> {
  const used = { kind: "telegram-login", subject: hash.toLowerCase(), lifetimeSeconds: TELEGRAM_LOGIN_SECONDS };
  if (!(await spendOnce(db, used))) throw new AppError("invalid", "telegramTooOld");
}
