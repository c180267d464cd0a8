import { type Client, custom, type TokenSet } from "openid-client";
import type { OptionValues } from "@/lib/option/registry";
import { cleanText, stableId } from "./ask-provider";
import { type Claims, type CodeReturned, type CodeSource, guardBy } from "./code-source";
import { configuredIssuer, hasKeys, loadOidcIssuer } from "./oidc-issuer";
import { answerUnusable, codeRefused, notConfigured, stateMismatch } from "./refusals";
import type { OutsideIdentity } from "./types";

/** Only signatures with a private key of the provider; never "none" or the shared client secret. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const CLOCK_TOLERANCE_SECONDS = 60;
const USERNAME_MAX = 12;
const DISPLAY_NAME_MAX = 20;

/** RS256 is the default of providers (OpenID Connect Core §15.1); else the first one that the provider names. */
function algorithmOf(metadata: Claims): string {
  const offered = metadata.id_token_signing_alg_values_supported;
  if (!Array.isArray(offered) || offered.includes("RS256")) return "RS256";
  return ALGORITHMS.find((name) => offered.includes(name)) ?? "RS256";
}

/** HTTP Basic if the provider supports it; no authentication for a client without a secret. */
function authMethodOf(metadata: Claims, secret: string) {
  if (secret === "") return "none";
  const offered = metadata.token_endpoint_auth_methods_supported;
  const wantsBody =
    Array.isArray(offered) && !offered.includes("client_secret_basic") && offered.includes("client_secret_post");
  return wantsBody ? "client_secret_post" : "client_secret_basic";
}

/** openid-client does the checks of OpenID Connect Core §3.1.3.7. */
async function exchange(client: Client, { redirectUri, params, checks }: CodeReturned): Promise<TokenSet> {
  if (hasKeys(client.issuer)) return client.callback(redirectUri, params, checks);
  // Without the provider's keys the identity token cannot be verified, and openid-client would refuse the response for
  // having one.
  if (!checks.state || params.state !== checks.state) throw stateMismatch();
  const tokens = await client.grant({
    grant_type: "authorization_code",
    code: params.code,
    redirect_uri: redirectUri,
    code_verifier: checks.code_verifier,
  });
  if (!tokens.access_token) throw codeRefused("oidc");
  return tokens;
}

const hasName = (claims: Claims): boolean => Boolean(claims.preferred_username || claims.name);

/** The claims of the verified identity token, completed by the user info endpoint. */
async function collectClaims(client: Client, tokens: TokenSet): Promise<Claims> {
  const { userinfo_endpoint: userInfo } = client.issuer.metadata;
  if (!hasKeys(client.issuer)) return client.userinfo(tokens.access_token ?? "");
  const claims: Claims = tokens.claims();
  if (!userInfo || hasName(claims)) return claims;
  // With the whole token set openid-client refuses a response about another user (OpenID Connect Core §5.3.2). The
  // token type is set because some providers return "bearer" and accept only "Bearer".
  return { ...(await client.userinfo(tokens, { tokenType: "Bearer" })), ...claims };
}

function identify(claims: Claims): OutsideIdentity {
  const id = typeof claims.sub === "string" ? stableId(claims.sub) : null;
  if (id === null) throw answerUnusable("oidc");
  const name = cleanText(claims.preferred_username, 64);
  return {
    provider: "oidc",
    id,
    displayName: cleanText(claims.name, DISPLAY_NAME_MAX) || cleanText(name, DISPLAY_NAME_MAX),
    preferredUsername: name.length <= USERNAME_MAX && /^[\p{L}\p{N}._-]+$/u.test(name) ? name : null,
  };
}

/** Any OpenID Connect provider: discovery, authorization code with PKCE, nonce, verified identity token. */
export async function oidc(options: OptionValues): Promise<CodeSource> {
  const clientId = options["oidc.client_id"];
  const clientSecret = options["oidc.client_secret"];
  if (clientId === "") throw notConfigured("oidc");
  const { issuer, trustOf } = await loadOidcIssuer(options);
  const { metadata } = issuer;
  const configured = configuredIssuer(options);
  // next-auth's own client would load the provider's keys again for each sign-in.
  const client = new issuer.Client({
    client_id: clientId,
    ...(clientSecret === "" ? {} : { client_secret: clientSecret }),
    token_endpoint_auth_method: authMethodOf(metadata, clientSecret),
    id_token_signed_response_alg: algorithmOf(metadata),
  });
  client[custom.http_options] = guardBy(trustOf);
  client[custom.clock_tolerance] = CLOCK_TOLERANCE_SECONDS;
  return {
    provider: "oidc",
    clientId,
    clientSecret,
    ...(metadata.issuer ? { issuer: metadata.issuer } : {}),
    endpoints: {
      authorization: metadata.authorization_endpoint ?? "",
      token: metadata.token_endpoint ?? "",
      userInfo: metadata.userinfo_endpoint ?? "",
    },
    scope: options["oidc.scopes"],
    checks: ["state", "pkce", "nonce"],
    exchange: (_, returned) => exchange(client, returned),
    claims: (_, tokens) => collectClaims(client, tokens),
    // A subject is unique only within its issuer (OpenID Connect Core §2).
    identify: (claims) => ({
      ...identify(claims),
      issuer: metadata.issuer || configured,
      formerIssuer: configured,
    }),
  };
}
