import { nowSeconds } from "@/lib/clock";
import type { ServiceContext, UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";

/** How long a proof (password, code or passkey) is valid. */
export const PROOF_SECONDS = 600;

/** Whether the user has signed in or confirmed within ten minutes, or the call itself carried a password or code. */
export function hasRecentProof({ session, proved }: UserActor): boolean {
  if (proved) return true;
  return session !== undefined && nowSeconds() - session.confirmedAt <= PROOF_SECONDS;
}

/**
 * Guards second factors, passkeys and outside accounts: neither an unattended browser nor an access token is enough.
 * Throws step_up_required. Jobs and the command line pass.
 */
export function requireRecentProof(ctx: ServiceContext): void {
  const { actor } = ctx;
  if (actor.type === "job" || actor.type === "command-line") return;
  if (actor.type === "anonymous") throw new AppError("unauthenticated", "notSignedIn");
  if (!hasRecentProof(actor)) throw new AppError("step_up_required", "stepUpRequired");
}

/**
 * The same for what programs do with an access token, which is proof enough for whatever its account may do over the API:
 * only a session, which may be a borrowed browser or a stolen cookie, needs the proof.
 */
export function requireProofOfSession(ctx: ServiceContext): void {
  if (!hasProofOfSession(ctx)) requireRecentProof(ctx);
}

/** Whether `requireProofOfSession` lets the caller pass: for what is left out otherwise. */
export function hasProofOfSession({ actor }: ServiceContext): boolean {
  if (actor.type === "user") return actor.via === "access-token" || hasRecentProof(actor);
  return actor.type !== "anonymous";
}
