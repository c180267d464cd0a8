import type { OAuthConfig } from "next-auth/providers/oauth";
import { type CallbackParamsType, type Client, custom, type OpenIDCallbackChecks, type TokenSet } from "openid-client";
import { guardedHttpOptions, type Trust } from "@/lib/egress";
import { codeRefused } from "./refusals";
import type { CodeProvider, OutsideIdentity } from "./types";

/** Contract §9.4. */
const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 256 * 1_024;

/** What a provider says of somebody, as it came. */
export type Claims = Record<string, unknown>;

export type CodeReturned = { redirectUri: string; params: CallbackParamsType; checks: OpenIDCallbackChecks };

/** One provider of the authorization code flow, as the options describe it at this moment. */
export type CodeSource = {
  provider: CodeProvider;
  clientId: string;
  clientSecret: string;
  issuer?: string;
  endpoints: { authorization: string; token: string; userInfo: string };
  /** None is asked for where it is left out. */
  scope?: string;
  /** What next-auth makes for a sign-in and compares when the browser comes back. */
  checks: ("state" | "pkce" | "nonce")[];
  /** next-auth's definition that this one fills in, where it has one. */
  base?: OAuthConfig<never>;
  /** Asks by next-auth's client, after putting the guard on it. */
  exchange: (client: Client, returned: CodeReturned) => Promise<TokenSet>;
  claims: (client: Client, tokens: TokenSet) => Promise<Claims>;
  /** Throws when the answer does not say who this is. */
  identify: (claims: Claims) => OutsideIdentity;
};

/** Lets openid-client reach only what the egress guard permits; `trustOf` says who named an address. */
export function guardBy(trustOf: (url: URL) => Trust) {
  return (url: URL) =>
    guardedHttpOptions(url, { trust: trustOf(url), timeoutMs: TIMEOUT_MS, maxBytes: ANSWER_BYTES_MAX });
}

/** The exchange and the profile of OAuth 2.0 without identity tokens, at addresses that only root can name. */
export function plainOAuth(provider: CodeProvider): Pick<CodeSource, "provider" | "exchange" | "claims"> {
  return {
    provider,
    async exchange(client, { redirectUri, params, checks }) {
      client[custom.http_options] = guardBy(() => "operator");
      const tokens = await client.oauthCallback(redirectUri, withKnownIssuer(client, params), checks);
      // GitHub answers 200 with an error in the body for a code that it does not take.
      if (!tokens.access_token) throw codeRefused(provider);
      return tokens;
    },
    claims: (client, tokens) => client.userinfo(tokens.access_token ?? ""),
  };
}

/** `iss` can be compared only where the issuer is known; elsewhere the redirect address of its own keeps providers apart. */
function withKnownIssuer(client: Client, params: CallbackParamsType): CallbackParamsType {
  if (client.issuer.metadata.issuer) return params;
  const { iss: _, ...rest } = params;
  return rest;
}
