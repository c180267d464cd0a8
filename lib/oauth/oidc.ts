import { errors, type JWTPayload, jwtVerify } from "jose";
import { AppError } from "@/lib/errors";
import type { OptionValues } from "@/lib/option/registry";
import { askProvider } from "./ask-provider";
import { basicAuthorization, type CodeExchange, type CodeGrant, cleanText, stableId, withParameters } from "./exchange";
import { type OidcEndpoints, oidcEndpoints, oidcKeys } from "./oidc-discovery";
import { answerUnusable, codeRefused, notConfigured } from "./refusals";
import type { OutsideIdentity } from "./types";

/** Signatures by a key that only the provider has; never "none", never by the shared client secret. */
const ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"];
const CLOCK_TOLERANCE_SECONDS = 60;
const USERNAME_MAX = 12;
const DISPLAY_NAME_MAX = 20;

type Tokens = { accessToken: string; idToken: string };
type Claims = Record<string, unknown>;

async function requestTokens(options: OptionValues, endpoints: OidcEndpoints, grant: CodeGrant): Promise<Tokens> {
  const id = options["oidc.client_id"];
  const secret = options["oidc.client_secret"];
  if (id === "") throw notConfigured("oidc");
  const byHeader = secret !== "" && !endpoints.secretInBody;
  const { status, json } = await askProvider("oidc", endpoints.token, {
    method: "POST",
    trust: endpoints.trustOf(endpoints.token),
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(byHeader ? { authorization: basicAuthorization(id, secret) } : {}),
    },
    body: new URLSearchParams({
      grant_type: "authorization_code",
      code: grant.code,
      redirect_uri: grant.redirectUri,
      code_verifier: grant.codeVerifier,
      ...(byHeader ? {} : { client_id: id }),
      ...(secret !== "" && endpoints.secretInBody ? { client_secret: secret } : {}),
    }).toString(),
  });
  const { access_token: accessToken, id_token: idToken } = json;
  if (status !== 200 || typeof accessToken !== "string" || accessToken === "") throw codeRefused("oidc");
  return { accessToken, idToken: typeof idToken === "string" ? idToken : "" };
}

/** The claims of an id_token after the checks of OpenID Connect Core §3.1.3.7. Throws "invalid" when one fails. */
async function verifyIdToken(
  idToken: string,
  endpoints: OidcEndpoints & { issuer: string; jwks: string },
  expected: { clientId: string; nonce: string },
): Promise<JWTPayload> {
  const verify = async (reload: boolean) =>
    jwtVerify(idToken, await oidcKeys(endpoints, reload), {
      issuer: endpoints.issuer,
      audience: expected.clientId,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      requiredClaims: ["sub", "iat", "exp"],
    });
  const { payload } = await verify(false)
    .catch((error: unknown) => (error instanceof errors.JWKSNoMatchingKey ? verify(true) : Promise.reject(error)))
    .catch((error: unknown) => {
      throw error instanceof AppError ? error : new AppError("invalid", "oauthIdTokenInvalid", {}, error);
    });
  const isForOthers = Array.isArray(payload.aud) && payload.aud.length > 1 && payload.azp !== expected.clientId;
  if (payload.nonce !== expected.nonce || isForOthers) throw new AppError("invalid", "oauthIdTokenInvalid");
  return payload;
}

async function requestUserInfo(endpoints: OidcEndpoints, url: string, accessToken: string): Promise<Claims> {
  const { status, json } = await askProvider("oidc", url, {
    trust: endpoints.trustOf(url),
    headers: { authorization: `Bearer ${accessToken}` },
  });
  if (status !== 200) throw answerUnusable("oidc");
  return json;
}

const hasName = (claims: Claims): boolean => Boolean(claims.preferred_username || claims.name);

/** What the provider says of the person: the verified id_token, and the user info endpoint for what that leaves out. */
async function collectClaims(
  endpoints: OidcEndpoints,
  tokens: Tokens,
  expected: { clientId: string; nonce: string },
): Promise<Claims> {
  const { issuer, jwks, userInfo } = endpoints;
  if (!issuer || !jwks) {
    // The token endpoint itself vouches for the access token; without its keys an id_token would add nothing.
    if (!userInfo) throw notConfigured("oidc");
    return requestUserInfo(endpoints, userInfo, tokens.accessToken);
  }
  if (tokens.idToken === "") throw answerUnusable("oidc");
  const claims = await verifyIdToken(tokens.idToken, { ...endpoints, issuer, jwks }, expected);
  if (!userInfo || hasName(claims)) return claims;
  const info = await requestUserInfo(endpoints, userInfo, tokens.accessToken);
  // OpenID Connect Core §5.3.2: an answer about somebody else must not be used.
  if (info.sub !== claims.sub) throw answerUnusable("oidc");
  return { ...info, ...claims };
}

function toIdentity(claims: Claims): OutsideIdentity {
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

/** Any OpenID Connect provider: discovery, authorization code with PKCE, nonce, verified id_token. */
export const oidc: CodeExchange = {
  provider: "oidc",
  isBound: true,
  async authorizeUrl(options, { state, redirectUri, codeChallenge, nonce }) {
    const endpoints = await oidcEndpoints(options);
    return withParameters(endpoints.authorization, {
      response_type: "code",
      client_id: options["oidc.client_id"],
      redirect_uri: redirectUri,
      scope: options["oidc.scopes"],
      state,
      nonce,
      code_challenge: codeChallenge,
      code_challenge_method: "S256",
    });
  },
  async identify(options, grant) {
    const endpoints = await oidcEndpoints(options);
    const tokens = await requestTokens(options, endpoints, grant);
    const expected = { clientId: options["oidc.client_id"], nonce: grant.nonce };
    return toIdentity(await collectClaims(endpoints, tokens, expected));
  },
};
