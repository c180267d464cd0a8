import { z } from "zod";
import type { Database } from "@/db/client";
import { consumeSecret, issueSecret } from "@/lib/auth/one-time-secret/commands";
import { seal, sha256Hex, unseal } from "@/lib/crypto";
import { stateMismatch } from "./refusals";
import { OUTSIDE_PROVIDERS, type OutsideProvider } from "./types";

const KIND = "oauth-state";
/** Time to sign in at the provider. */
const STATE_SECONDS = 600;

/** What a state was made for. */
export type StatePurpose = {
  /** Null: the client opens GitHub's or LinuxDO's page by itself (contract §1.3) and may choose either. */
  provider: OutsideProvider | null;
  /** Invite code, for an account that is made at the end. */
  aff: string;
  /** Who asked for it, when somebody was signed in: what comes back is to be bound to that account. */
  userId: number | null;
};

/** The cookies in which next-auth keeps state, PKCE verifier and nonce, by name; none where it made no state. */
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
 * Keeps what belongs to a state for ten minutes and one use. next-auth's cookies are kept here and not in the browser,
 * which has room for one sign-in at a time and could send them twice. `browser` is the secret in that browser's cookie.
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
 * Uses a state up. Throws forbidden (HTTP 403) unless it was made in this browser, within its time, for this provider, and
 * not used before.
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
