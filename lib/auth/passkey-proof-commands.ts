import { and, eq, lt } from "drizzle-orm";
import type { Database } from "@/db/client";
import { passkeys } from "@/db/schema";
import { nowSeconds } from "@/lib/clock";
import { sha256Hex } from "@/lib/crypto";
import { AppError } from "@/lib/errors";
import { USER_STATUS } from "@/lib/row-status";
import { findPasskey, listPasskeysOf, type StoredPasskey } from "./factor-queries";
import { consumeSecret, issueSecret } from "./one-time-secret/commands";
import {
  type AuthenticationAnswer,
  CHALLENGE_SECONDS,
  challengeOf,
  toAuthenticationResponse,
  userHandleOf,
} from "./passkey";
import { type AccountRow, findAccount } from "./queries";
import type { RelyingParty } from "./relying-party";
import { countPasskeyChallenge } from "./throttle";
import { readTicket, redeemTicket } from "./ticket-commands";

/**
 * What a challenge is for; an answer to a challenge of another purpose is refused. Without `userId` any account's
 * passkey may answer (a sign-in without a user name); user verification is then required, because the passkey is the
 * only proof.
 */
type Purpose = { kind: "passkey-sign-in" | "passkey-factor" | "passkey-step-up"; userId?: number };

export async function startPasskeyProof(db: Database, party: RelyingParty, purpose: Purpose) {
  const { userId } = purpose;
  const own = userId === undefined ? null : await listPasskeysOf(db, userId);
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const options = await generateAuthenticationOptions({
    rpID: party.id,
    userVerification: own ? "preferred" : "required",
    ...(own ? { allowCredentials: own.map(({ id, transports }) => ({ id, transports })) } : {}),
  });
  await issueSecret(db, {
    kind: purpose.kind,
    subject: subjectOf(purpose, options.challenge),
    secret: options.challenge,
    lifetimeSeconds: CHALLENGE_SECONDS,
  });
  return options;
}

/**
 * Verifies the answer to a challenge of the same purpose and returns the passkey's owner. Throws invalid for an unknown
 * passkey or another user's, a challenge that is used, expired or of another purpose, or a counter that did not
 * increase.
 */
export async function finishPasskeyProof(
  db: Database,
  party: RelyingParty,
  proof: Purpose & { response: AuthenticationAnswer },
): Promise<{ userId: number }> {
  const stored = await findPasskey(db, proof.response.id);
  const challenge = challengeOf(proof.response);
  const subject = subjectOf(proof, challenge);
  // The challenge is used up whatever the result.
  const known = await consumeSecret(db, { kind: proof.kind, subject, secret: challenge });
  if (!known) throw new AppError("invalid", "passkeyExpired");
  if (!stored || (proof.userId !== undefined && stored.userId !== proof.userId)) {
    throw new AppError("invalid", "passkeyUnknown");
  }
  const handle = proof.response.response.userHandle;
  if (handle && handle !== Buffer.from(userHandleOf(stored.userId)).toString("base64url")) {
    throw new AppError("invalid", "passkeyUnknown");
  }
  const counter = await verifyPasskey(party, stored, challenge, proof);
  await noteUse(db, stored.id, counter);
  return { userId: stored.userId };
}

async function verifyPasskey(
  party: RelyingParty,
  stored: StoredPasskey,
  challenge: string,
  proof: Purpose & { response: AuthenticationAnswer },
): Promise<number> {
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: toAuthenticationResponse(proof.response),
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: stored.id,
        publicKey: new Uint8Array(Buffer.from(stored.publicKey, "base64url")),
        counter: stored.counter,
        transports: stored.transports,
      },
      requireUserVerification: proof.userId === undefined,
    });
    if (!verified) throw new Error("not verified");
    return authenticationInfo.newCounter;
  } catch (error) {
    // The library throws an Error for every invalid answer, including malformed ones.
    throw new AppError("invalid", "passkeyRefused", {}, error);
  }
}

/** The counter must increase, unless the authenticator keeps none (0). A repeated counter means a copied authenticator. */
async function noteUse(db: Database, id: string, counter: number): Promise<void> {
  const ascending = counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter);
  const noted = await db
    .update(passkeys)
    .set({ counter, lastUsedAt: nowSeconds() })
    .where(and(eq(passkeys.id, id), ascending))
    .returning({ id: passkeys.id });
  if (noted.length === 0) throw new AppError("invalid", "passkeyRefused");
}

function subjectOf(purpose: Purpose, challenge: string): string {
  return purpose.userId === undefined ? sha256Hex(challenge) : `user:${purpose.userId}:${sha256Hex(challenge)}`;
}

/** A challenge for signing in: with a ticket for that account, without one for any account. */
export async function startPasskeyLogin(
  db: Database,
  party: RelyingParty,
  input: { ticket?: string | undefined; clientIp: string },
) {
  await countPasskeyChallenge(db, input.clientIp);
  if (input.ticket === undefined) return startPasskeyProof(db, party, { kind: "passkey-sign-in" });
  const account = await readTicket(db, input.ticket);
  return startPasskeyProof(db, party, { kind: "passkey-factor", userId: account.id });
}

/**
 * The account that a passkey signs in: on its own, or as the second factor of a ticket. Throws invalid like
 * finishPasskeyProof.
 */
export async function finishPasskeyLogin(
  db: Database,
  party: RelyingParty,
  input: { ticket?: string | undefined; response: AuthenticationAnswer },
): Promise<AccountRow> {
  const { ticket, response } = input;
  if (ticket !== undefined) {
    const account = await readTicket(db, ticket);
    await finishPasskeyProof(db, party, { kind: "passkey-factor", userId: account.id, response });
    await redeemTicket(db, ticket);
    return account;
  }
  const { userId } = await finishPasskeyProof(db, party, { kind: "passkey-sign-in", response });
  const account = await findAccount(db, userId);
  // The same message as for an unknown passkey, so that it does not reveal which accounts exist.
  if (account?.status !== USER_STATUS.enabled) throw new AppError("invalid", "passkeyUnknown");
  return account;
}
