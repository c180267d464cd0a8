import type { AuthScheme } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { processTokens, withToken } from "./fetched-token";
import { memoOfKeys, partsOfKey, tokenId } from "./key-memo";
import type { TokenCache } from "./token-cache";
import { requestToken } from "./token-request";

/** For keys `APIKey|SecretKey`: an access token in the URL. It is issued where the requests go. */
export function baiduAuth(tokens: TokenCache): AuthScheme {
  const read = memoOfKeys(readBaiduKey);
  return (key, request) => {
    const { client, secret } = read(key);
    const url = `${new URL(request.url).origin}/oauth/2.0/token`;
    const form = { grant_type: "client_credentials", client_id: client, client_secret: secret };
    const { trust, proxy } = request;
    return withToken({
      tokens,
      id: tokenId(key, url),
      fetch: () => requestToken({ url, form, secrets: [key, secret], way: { trust, proxy } }),
      shown: (token) => ({ headers: [], query: ["access_token", token] }),
    });
  };
}

export const baiduAccessToken = baiduAuth(processTokens);

/** Throws ChannelSetupError when the key has not two parts. */
export function readBaiduKey(key: string): { client: string; secret: string } {
  const [client, secret] = partsOfKey(key, 2) ?? [];
  if (!client || !secret) throw new ChannelSetupError("the key must be APIKey|SecretKey", "get_channel_failed");
  return { client, secret };
}
