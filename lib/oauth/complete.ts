import type { AccountRow } from "@/lib/auth/queries";
import type { ServiceContext } from "@/lib/context";
import { bindIdentity, signInByIdentity } from "./identity-commands";
import type { OutsideIdentity } from "./types";

/** The result: bound to the signed-in account, or signed in to this account. */
export type Completed = { type: "bound" } | { type: "signed-in"; account: AccountRow };

/** Binds the identity to the current user, or signs in when nobody is signed in. */
export async function completeSignIn(ctx: ServiceContext, identity: OutsideIdentity, aff: string): Promise<Completed> {
  if (ctx.actor.type === "user") {
    await bindIdentity(ctx, identity);
    return { type: "bound" };
  }
  return { type: "signed-in", account: await signInByIdentity(ctx, identity, aff) };
}
