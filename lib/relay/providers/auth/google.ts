import { SignJWT } from "jose";
import type { AuthScheme, SignedRequest } from "../channel-type";
import { processTokens, withToken } from "./fetched-token";
import { memoOfKeys, tokenId } from "./key-memo";
import { bearer, googleKey } from "./plain";
import { type ServiceAccount, serviceAccountOf } from "./service-account";
import type { TokenCache } from "./token-cache";
import { requestToken } from "./token-request";

const SCOPE = "https://www.googleapis.com/auth/cloud-platform";
const GRANT = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/** Google takes assertions of at most an hour. */
const ASSERTION_SECONDS = 1_800;
/** Clocks may differ by so much. */
const SKEW_SECONDS = 10;

/** For keys that are either a service account's JSON document or an API key. */
export function googleAuth(tokens: TokenCache, now: () => number = Date.now): AuthScheme {
  const read = memoOfKeys((key) => {
    const account = serviceAccountOf(key);
    return { account, id: tokenId(key, account.tokenUri) };
  });
  return (key, request) => {
    if (!isDocument(key)) return googleKey(key);
    const { account, id } = read(key);
    const fetch = () => exchange(account, key, request, now());
    return withToken({ tokens, id, fetch, shown: bearer });
  };
}

export const googleServiceAccount = googleAuth(processTokens);

/** Throws ChannelSetupError. */
export function checkGoogleKey(key: string): void {
  if (isDocument(key)) serviceAccountOf(key);
}

/** Whether a key is a document and not an API key. */
export function isDocument(key: string): boolean {
  return key.trimStart().startsWith("{");
}

async function exchange(account: ServiceAccount, key: string, way: SignedRequest, nowMs: number) {
  const assertion = await signAssertion(account, Math.floor(nowMs / 1_000));
  return requestToken({
    url: account.tokenUri,
    form: { grant_type: GRANT, assertion },
    secrets: [key, assertion],
    way: { trust: way.trust, proxy: way.proxy },
  });
}

function signAssertion({ clientEmail, tokenUri, privateKey, privateKeyId }: ServiceAccount, now: number) {
  return new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", ...(privateKeyId === "" ? {} : { kid: privateKeyId }) })
    .setIssuer(clientEmail)
    .setAudience(tokenUri)
    .setIssuedAt(now - SKEW_SECONDS)
    .setExpirationTime(now - SKEW_SECONDS + ASSERTION_SECONDS)
    .sign(privateKey);
}
