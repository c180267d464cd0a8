import type { AccountRow } from "@/lib/auth/queries";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { assertProviderOn } from "./flags";
import { bindIdentity, signInByIdentity } from "./identity-commands";
import { CODE_EXCHANGES } from "./providers";
import { type SpentState, spendState, stateMismatch } from "./state-commands";
import type { CodeProvider, OutsideIdentity } from "./types";

/** How it ended: bound to the account that is signed in, or signed in to this one. */
export type Completed = { type: "bound" } | { type: "signed-in"; account: AccountRow };

export type CodeReturn = {
  provider: CodeProvider;
  code: string;
  state: string;
  /** The secret of this browser's cookie, if it has one. */
  browser: string | undefined;
  redirectUri: string;
};

/** Binds an identity to whoever is signed in, else signs in by it. */
export async function completeSignIn(ctx: ServiceContext, identity: OutsideIdentity, aff: string): Promise<Completed> {
  if (ctx.actor.type === "user") {
    await bindIdentity(ctx, identity);
    return { type: "bound" };
  }
  return { type: "signed-in", account: await signInByIdentity(ctx, identity, aff) };
}

/**
 * What a browser brings back from a provider's authorize page. Throws forbidden when the provider is off or the state is
 * not this browser's, "invalid" or "upstream" from the exchange, and what binding or signing in refuses.
 */
export async function completeByCode(ctx: ServiceContext, given: CodeReturn): Promise<Completed> {
  const { provider, code, state, browser, redirectUri } = given;
  const options = await loadOptions(ctx.db);
  assertProviderOn(options, provider);
  const exchange = CODE_EXCHANGES[provider];
  const spent = await spendState(ctx.db, { state, browser, provider, isBound: exchange.isBound });
  assertSameActor(ctx, spent);
  if (code === "") throw new AppError("invalid", "oauthCodeMissing");
  const { codeVerifier, nonce } = spent;
  const identity = await exchange.identify(options, { code, redirectUri, codeVerifier, nonce });
  return completeSignIn(ctx, identity, spent.aff);
}

/** What one account began another must not finish; and a session that ended meanwhile must not become a new account. */
function assertSameActor(ctx: ServiceContext, spent: SpentState): void {
  if (spent.userId === null) return;
  if (ctx.actor.type !== "user") throw new AppError("unauthenticated", "notSignedIn");
  if (ctx.actor.id !== spent.userId) throw stateMismatch();
}
