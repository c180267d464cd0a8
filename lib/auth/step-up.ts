import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";

/** How long a proof (password, code or passkey) holds. */
export const PROOF_SECONDS = 600;

/**
 * For what a borrowed browser must not be able to do: the owner has signed in or confirmed on this browser within ten
 * minutes. Throws step_up_required when not; forbidden for an access token, which proves nothing of the kind. Jobs pass.
 */
export function requireRecentProof(ctx: ServiceContext): void {
  const { actor } = ctx;
  if (actor.type === "job") return;
  if (actor.type === "anonymous") throw new AppError("unauthenticated", "notSignedIn");
  if (!actor.session) throw new AppError("forbidden", "sessionRequired");
  if (nowSeconds() - actor.session.confirmedAt > PROOF_SECONDS)
    throw new AppError("step_up_required", "stepUpRequired");
}
