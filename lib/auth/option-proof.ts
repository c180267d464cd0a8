import type { ServiceContext } from "@/lib/context";
import { oauthOptions } from "@/lib/option/definitions/oauth";
import { signInOptions } from "@/lib/option/definitions/sign-in";
import { isSecret } from "@/lib/option/queries";
import { isOptionKey } from "@/lib/option/registry";
import { requireRecentProof } from "./step-up";

/** Requires a recent proof when one of the options is a secret or controls who may sign in. */
export function requireProofForOptions(ctx: ServiceContext, keys: readonly string[]): void {
  const delicate = keys.some(
    (key) => key in signInOptions || key in oauthOptions || (isOptionKey(key) && isSecret(key)),
  );
  if (delicate) requireRecentProof(ctx);
}
