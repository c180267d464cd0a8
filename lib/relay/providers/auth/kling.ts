import { SignJWT } from "jose";
import type { AuthScheme } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { processTokens, withToken } from "./fetched-token";
import { memoOfKeys, partsOfKey, tokenId } from "./key-memo";
import { bearer } from "./plain";
import type { FetchedToken, TokenCache } from "./token-cache";

const LIFE_SECONDS = 1_800;
/** Clocks may differ by so much. */
const SKEW_SECONDS = 5;

/** For keys `AccessKey|SecretKey`: a JWT signed with the secret. */
export function klingAuth(tokens: TokenCache, now: () => number = Date.now): AuthScheme {
  const read = memoOfKeys((key) => {
    const [accessKey, secretKey] = readKlingKey(key);
    return { accessKey, secret: new TextEncoder().encode(secretKey), id: tokenId(key, "kling") };
  });
  return (key) => {
    const { accessKey, secret, id } = read(key);
    const fetch = () => sign(accessKey, secret, Math.floor(now() / 1_000));
    return withToken({ tokens, id, fetch, shown: bearer });
  };
}

export const klingToken = klingAuth(processTokens);

/** Throws ChannelSetupError. */
export function readKlingKey(key: string): [accessKey: string, secretKey: string] {
  const [accessKey, secretKey] = partsOfKey(key, 2) ?? [];
  if (accessKey && secretKey) return [accessKey, secretKey];
  throw new ChannelSetupError("the key must be AccessKey|SecretKey", "get_channel_failed");
}

async function sign(accessKey: string, secret: Uint8Array, now: number): Promise<FetchedToken> {
  const value = await new SignJWT()
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .setIssuer(accessKey)
    .setNotBefore(now - SKEW_SECONDS)
    .setExpirationTime(now + LIFE_SECONDS)
    .sign(secret);
  return { value, lifeMs: LIFE_SECONDS * 1_000 };
}
