import type { AccountRow } from "@/lib/auth/queries";
import type { ServiceContext } from "@/lib/context";
import { bindIdentity, signInByIdentity } from "./identity-commands";
import type { OutsideIdentity } from "./types";

/** How it ended: bound to the account that is signed in, or signed in to this one. */
export type Completed = { type: "bound" } | { type: "signed-in"; account: AccountRow };

/** Binds an identity to whoever is signed in, else signs in by it. */
export async function completeSignIn(ctx: ServiceContext, identity: OutsideIdentity, aff: string): Promise<Completed> {
  if (ctx.actor.type === "user") {
    await bindIdentity(ctx, identity);
    return { type: "bound" };
  }
  return { type: "signed-in", account: await signInByIdentity(ctx, identity, aff) };
}
