import type { OAuthConfig } from "next-auth/providers/oauth";
import type { OptionValues } from "@/lib/option/registry";
import type { CodeExchange } from "./exchange";
import { isProviderOn } from "./flags";
import { github } from "./github";
import { linuxdo } from "./linuxdo";
import { oidc } from "./oidc";
import { stateMismatch } from "./state-commands";
import { type CodeProvider, type OutsideIdentity, PROVIDER_NAME } from "./types";

/** The one definition of each provider; both ways to sign in (/api/oauth and next-auth) use it. */
export const CODE_EXCHANGES: Readonly<Record<CodeProvider, CodeExchange>> = { github, linuxdo, oidc };

/** The one redirect address of a provider, as the settings page shows it and as it is registered there. */
export function redirectUriOf(publicAddress: string, provider: CodeProvider): string {
  return `${publicAddress}/oauth/${provider}`;
}

/** What an exchange came to; kept apart from next-auth, which knows only that a sign-in failed. */
export type ExchangeOutcome = { identity: OutsideIdentity } | { error: unknown };

type AuthProvider = OAuthConfig<OutsideIdentity>;

/**
 * next-auth's providers as the options say at this moment: GitHub and LinuxDO where they are switched on. `onOutcome`
 * learns how the exchange of the code ended.
 */
export async function nextAuthProviders(
  options: OptionValues,
  publicAddress: string,
  onOutcome: (outcome: ExchangeOutcome) => void,
): Promise<AuthProvider[]> {
  const enabled = [github, linuxdo].filter(({ provider }) => isProviderOn(options, provider));
  return Promise.all(
    enabled.map(async (exchange) => {
      const redirectUri = redirectUriOf(publicAddress, exchange.provider);
      // State comes from next-auth, so it is left to that; PKCE is not asked of these two.
      const page = new URL(
        await exchange.authorizeUrl(options, { state: "", redirectUri, codeChallenge: "", nonce: "" }),
      );
      page.searchParams.delete("state");
      return toAuthProvider(exchange, { options, page, redirectUri, onOutcome });
    }),
  );
}

type Setting = {
  options: OptionValues;
  page: URL;
  redirectUri: string;
  onOutcome: (outcome: ExchangeOutcome) => void;
};

function toAuthProvider(exchange: CodeExchange, setting: Setting): AuthProvider {
  const { options, page, redirectUri, onOutcome } = setting;
  const { provider } = exchange;
  const identify = async (code: string): Promise<ExchangeOutcome> => {
    try {
      const grant = { code, redirectUri, codeVerifier: "", nonce: "" };
      return { identity: await exchange.identify(options, grant) };
    } catch (error) {
      return { error };
    }
  };
  return {
    id: provider,
    name: PROVIDER_NAME[provider],
    type: "oauth",
    checks: ["state"],
    clientId: page.searchParams.get("client_id") ?? "",
    authorization: { url: page.origin + page.pathname, params: Object.fromEntries(page.searchParams) },
    token: {
      async request({ params, checks }) {
        // With an exchange of one's own next-auth reads its state cookie but leaves the comparison to us.
        const isOwnState = Boolean(checks.state) && params.state === checks.state;
        onOutcome(isOwnState ? await identify(params.code ?? "") : { error: stateMismatch() });
        return { tokens: {} };
      },
    },
    userinfo: { request: async () => ({}) },
    // The account is found by what onOutcome was told; next-auth only wants something with an id.
    profile: () => ({ id: provider }),
  };
}
