import { SignJWT } from "jose";
import type { AuthScheme } from "../channel-type";
import { processTokens } from "./fetched-token";
import { memoOfKeys, tokenId } from "./key-memo";
import { bearer } from "./plain";
import type { FetchedToken, TokenCache } from "./token-cache";

const LIFE_MS = 24 * 3_600_000;
/** Renewed in time for clocks that differ. */
const USED_MS = 12 * 3_600_000;

/** For keys `id.secret`: a JWT signed with the secret, sent without "Bearer". Other keys are sent as they are. */
export function zhipuAuth(tokens: TokenCache, now: () => number = Date.now): AuthScheme {
  const read = memoOfKeys((key) => {
    const [id = "", secret = ""] = key.split(".");
    return { id, secret: new TextEncoder().encode(secret), tokenId: tokenId(key, "zhipu") };
  });
  return (key) => {
    if (!/^[^.]+\.[^.]+$/.test(key)) return bearer(key);
    const { id, secret, tokenId: name } = read(key);
    const token = tokens.get(name, () => sign(id, secret, now()));
    return typeof token === "string" ? shown(token) : token.then(shown);
  };
}

export const zhipuToken = zhipuAuth(processTokens);

const shown = (token: string) => ({ headers: ["authorization", token] });

/** Its times are in milliseconds, unlike those of other JWTs. */
async function sign(id: string, secret: Uint8Array, now: number): Promise<FetchedToken> {
  const value = await new SignJWT({ api_key: id, exp: now + LIFE_MS, timestamp: now })
    .setProtectedHeader({ alg: "HS256", sign_type: "SIGN", typ: "JWT" })
    .sign(secret);
  return { value, lifeMs: USED_MS };
}
