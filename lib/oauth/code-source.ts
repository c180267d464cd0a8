import type { OAuthConfig } from "next-auth/providers/oauth";
import { type CallbackParamsType, type Client, custom, type OpenIDCallbackChecks, type TokenSet } from "openid-client";
import { guardedHttpOptions, type Trust } from "@/lib/egress";
import { codeRefused } from "./refusals";
import type { CodeProvider, OutsideIdentity } from "./types";

/** Contract §9.4. */
const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 256 * 1_024;

/** The profile as the provider returned it. */
export type Claims = Record<string, unknown>;

export type CodeReturned = { redirectUri: string; params: CallbackParamsType; checks: OpenIDCallbackChecks };

/** One provider of the authorization code flow, configured by the current options. */
export type CodeSource = {
  provider: CodeProvider;
  clientId: string;
  clientSecret: string;
  issuer?: string;
  endpoints: { authorization: string; token: string; userInfo: string };
  /** Absent: no scope is requested. */
  scope?: string;
  /** What next-auth creates for a sign-in and compares when the browser returns. */
  checks: ("state" | "pkce" | "nonce")[];
  /** next-auth's provider definition that this one completes, where it has one. */
  base?: OAuthConfig<never>;
  /** Exchanges the code with next-auth's client, after setting the egress guard on it. */
  exchange: (client: Client, returned: CodeReturned) => Promise<TokenSet>;
  claims: (client: Client, tokens: TokenSet) => Promise<Claims>;
  /** Throws when the response does not identify the user. */
  identify: (claims: Claims) => OutsideIdentity;
};

/** Limits openid-client to addresses that the egress guard permits; `trustOf` says who configured an address. */
export function guardBy(trustOf: (url: URL) => Trust) {
  return (url: URL) =>
    guardedHttpOptions(url, { trust: trustOf(url), timeoutMs: TIMEOUT_MS, maxBytes: ANSWER_BYTES_MAX });
}

/** Code exchange and profile of OAuth 2.0 without identity tokens, at addresses that only root can configure. */
export function plainOAuth(provider: CodeProvider): Pick<CodeSource, "provider" | "exchange" | "claims"> {
  return {
    provider,
    async exchange(client, { redirectUri, params, checks }) {
      client[custom.http_options] = guardBy(() => "operator");
      const tokens = await client.oauthCallback(redirectUri, withKnownIssuer(client, params), checks);
      // GitHub returns 200 with an error in the body for an invalid code.
      if (!tokens.access_token) throw codeRefused(provider);
      return tokens;
    },
    claims: (client, tokens) => client.userinfo(tokens.access_token ?? ""),
  };
}

/** `iss` can be checked only where the issuer is known; elsewhere each provider's own redirect URI keeps providers apart. */
function withKnownIssuer(client: Client, params: CallbackParamsType): CallbackParamsType {
  if (client.issuer.metadata.issuer) return params;
  const { iss: _, ...rest } = params;
  return rest;
}
