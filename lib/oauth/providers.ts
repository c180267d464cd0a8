import type { OAuthConfig, OAuthUserConfig } from "next-auth/providers/oauth";
import { TokenSet } from "openid-client";
import type { OptionValues } from "@/lib/option/registry";
import type { Claims, CodeSource } from "./code-source";
import { isProviderOn } from "./flags";
import { github } from "./github";
import { linuxdo } from "./linuxdo";
import { oidc } from "./oidc";
import { explainProviderError, type ProviderStep } from "./provider-error";
import { CODE_PROVIDERS, type CodeProvider, type OutsideIdentity, PROVIDER_NAME } from "./types";

/** The definition of each provider, from the current options. */
export const CODE_SOURCES: Readonly<Record<CodeProvider, (options: OptionValues) => CodeSource | Promise<CodeSource>>> =
  {
    github,
    linuxdo,
    oidc,
  };

/** The redirect URI of a provider, as the settings page shows it and as it is registered at the provider. */
export function redirectUriOf(publicAddress: string, provider: CodeProvider): string {
  return `${publicAddress}/oauth/${provider}`;
}

export type AuthProvider = OAuthConfig<Claims>;

/** Reports identity and errors, which next-auth itself only logs. */
export type ProviderObserver = {
  onIdentity: (identity: OutsideIdentity) => void;
  onRefusal: (error: unknown) => void;
};

type Setting = ProviderObserver & { redirectUri: string; checks: CodeSource["checks"] };

/** A next-auth provider. Its code exchange uses next-auth's client with Weir's redirect URI instead of next-auth's own. */
export function toAuthProvider(source: CodeSource, setting: Setting): AuthProvider {
  const { provider, clientId, clientSecret, issuer, endpoints, scope } = source;
  const { redirectUri, checks, onIdentity, onRefusal } = setting;
  async function watched<Result>(step: ProviderStep, run: () => Promise<Result> | Result): Promise<Result> {
    try {
      return await run();
    } catch (error) {
      const known = explainProviderError(provider, step, error);
      onRefusal(known);
      throw known;
    }
  }
  const profile: AuthProvider["profile"] = (claims) =>
    watched("profile", () => {
      const identity = source.identify(claims);
      onIdentity(identity);
      return { id: identity.id };
    });
  const filled: OAuthUserConfig<Claims> = {
    clientId,
    clientSecret,
    checks,
    ...(issuer === undefined ? {} : { issuer }),
    authorization: { url: endpoints.authorization, params: { redirect_uri: redirectUri, scope: scope as string } },
    token: {
      url: endpoints.token,
      request: ({ client, params, checks: kept }) =>
        watched("exchange", async () => ({
          tokens: await source.exchange(client, { redirectUri, params, checks: kept }),
        })),
    },
    userinfo: {
      url: endpoints.userInfo,
      request: ({ client, tokens }) => watched("profile", () => source.claims(client, new TokenSet(tokens))),
    },
    profile,
  };
  return { ...(source.base ?? bareProvider(provider)), profile, options: filled };
}

/** The enabled providers by name only, for next-auth's list of providers. */
export function listAuthProviders(options: OptionValues): AuthProvider[] {
  return CODE_PROVIDERS.filter((provider) => isProviderOn(options, provider)).map(bareProvider);
}

function bareProvider(provider: CodeProvider): AuthProvider {
  return { id: provider, name: PROVIDER_NAME[provider], type: "oauth", profile: () => ({ id: "" }) };
}
