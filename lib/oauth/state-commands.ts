import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Database } from "@/db/client";
import { consumeSecret, issueSecret } from "@/lib/auth/one-time-secret/commands";
import { randomAlphanumeric, seal, sha256Hex, unseal } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { OUTSIDE_PROVIDERS, type OutsideProvider } from "./types";

const KIND = "oauth-state";
const STATE_LENGTH = 32;
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

export type IssuedState = { state: string; codeChallenge: string; nonce: string };
export type SpentState = StatePurpose & { codeVerifier: string; nonce: string };

const payloadSchema = z.object({
  provider: z.enum(OUTSIDE_PROVIDERS).nullable(),
  aff: z.string(),
  userId: z.number().nullable(),
  sealed: z.string(),
});
const sealedSchema = z.object({ codeVerifier: z.string(), nonce: z.string() });

/**
 * A state for one sign-in of one browser, good for ten minutes and once, with the secrets of PKCE (S256) and the nonce
 * that belong to it. `browser` is the secret in that browser's cookie.
 */
export async function issueState(db: Database, browser: string, purpose: StatePurpose): Promise<IssuedState> {
  const state = randomAlphanumeric(STATE_LENGTH);
  const codeVerifier = randomBytes(32).toString("base64url");
  const nonce = randomBytes(16).toString("base64url");
  await issueSecret(db, {
    kind: KIND,
    subject: sha256Hex(state),
    secret: browser,
    lifetimeSeconds: STATE_SECONDS,
    payload: { ...purpose, sealed: seal(JSON.stringify({ codeVerifier, nonce })) },
  });
  return { state, codeChallenge: createHash("sha256").update(codeVerifier).digest("base64url"), nonce };
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
  return { ...purpose, ...sealedSchema.parse(JSON.parse(unseal(sealed))) };
}

/** The browser that comes back is not the one that left, or comes too late or twice. */
export function stateMismatch(): AppError {
  return new AppError("forbidden", "oauthStateMismatch");
}
