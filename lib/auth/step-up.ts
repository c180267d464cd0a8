import { nowSeconds } from "@/lib/clock";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";

/** How long a proof (password, code or passkey) is valid. */
export const PROOF_SECONDS = 600;

/**
 * Guards actions that must not be possible on an unattended browser: the user must have signed in or confirmed in this
 * session within ten minutes. Throws step_up_required if not, and forbidden for an access token, which is no proof.
 * Jobs pass.
 */
export function requireRecentProof(ctx: ServiceContext): void {
  const { actor } = ctx;
  if (actor.type === "job") return;
  if (actor.type === "anonymous") throw new AppError("unauthenticated", "notSignedIn");
  if (!actor.session) throw new AppError("forbidden", "sessionRequired");
  if (nowSeconds() - actor.session.confirmedAt > PROOF_SECONDS)
    throw new AppError("step_up_required", "stepUpRequired");
}
