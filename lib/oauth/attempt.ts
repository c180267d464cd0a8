import { createSession } from "@/lib/auth/session-commands";
import { clientOf } from "@/lib/auth/session-cookie";
import type { SessionClaims } from "@/lib/auth/session-token";
import type { ServiceContext } from "@/lib/context";
import type { OptionValues } from "@/lib/option/registry";
import type { CodeSource } from "./code-source";
import { type Completed, completeSignIn } from "./complete";
import { assertProviderOn } from "./flags";
import type { OutsideSignIn } from "./next-auth";
import { stateMismatch } from "./refusals";
import type { CodeProvider, OutsideIdentity } from "./types";

export type AttemptInput = {
  provider: CodeProvider;
  options: OptionValues;
  publicAddress: string;
  /** Of the browser that signs in. */
  headers: Headers;
  /** Invite code, for an account that is created at the end. */
  aff: string;
  /** Fewer than the provider's when the state was created without naming a provider. */
  checks?: CodeSource["checks"];
};

/** One sign-in by next-auth: its part of next-auth's options, and its result. */
export type Attempt = OutsideSignIn & {
  /** Throws the reason of a refusal. A refusal before any request to the provider comes from next-auth's own checks. */
  result: () => Completed;
};

/**
 * Signs in or binds an external account through next-auth, which does the checks, the code exchange and the profile
 * request. Its callbacks find the account and create the session. Throws forbidden when the provider is off,
 * unavailable when it is not configured.
 */
export async function startAttempt(ctx: ServiceContext, input: AttemptInput): Promise<Attempt> {
  const { provider, options, publicAddress, headers, aff } = input;
  assertProviderOn(options, provider);
  const { CODE_SOURCES, redirectUriOf, toAuthProvider } = await import("./providers");
  const source = await CODE_SOURCES[provider](options);
  let identity: OutsideIdentity | null = null;
  let ended: { completed: Completed } | { error: unknown } | null = null;
  let claims: SessionClaims | null = null;

  const authProvider = toAuthProvider(source, {
    redirectUri: redirectUriOf(publicAddress, provider),
    checks: input.checks ?? source.checks,
    onIdentity: (found) => {
      identity = found;
    },
    onRefusal: (error) => {
      ended = { error };
    },
  });
  async function complete(): Promise<Completed> {
    if (!identity) throw new Error("next-auth finished a sign-in without a profile");
    const completed = await completeSignIn(ctx, identity, aff);
    if (completed.type === "bound") return completed;
    const session = await createSession(ctx.db, {
      userId: completed.account.id,
      method: provider,
      ...clientOf(headers),
    });
    claims = session.claims;
    return completed;
  }
  return {
    providers: [authProvider],
    async finish() {
      try {
        const completed = await complete();
        ended = { completed };
        return completed.type === "bound" ? "/setting" : true;
      } catch (error) {
        ended = { error };
        return false;
      }
    },
    claims: () => claims,
    result() {
      const how = ended as { completed: Completed } | { error: unknown } | null;
      if (!how) throw stateMismatch();
      if ("error" in how) throw how.error;
      return how.completed;
    },
  };
}
