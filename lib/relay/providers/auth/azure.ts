import type { AuthScheme } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { processTokens, withToken } from "./fetched-token";
import { memoOfKeys, partsOfKey, tokenId } from "./key-memo";
import { apiKeyHeader, bearer } from "./plain";
import type { TokenCache } from "./token-cache";
import { requestToken } from "./token-request";

type Cloud = { login: string; scope: string };

const PUBLIC: Cloud = {
  login: "https://login.microsoftonline.com",
  scope: "https://cognitiveservices.azure.com/.default",
};
/** Separate clouds, by the end of a resource's host. */
const OTHERS: readonly [RegExp, Cloud][] = [
  [/\.azure\.us$/, { login: "https://login.microsoftonline.us", scope: "https://cognitiveservices.azure.us/.default" }],
  [
    /\.azure\.cn$/,
    { login: "https://login.partner.microsoftonline.cn", scope: "https://cognitiveservices.azure.cn/.default" },
  ],
];

function cloudOf(url: string): Cloud {
  const { hostname } = new URL(url);
  return OTHERS.find(([end]) => end.test(hostname))?.[1] ?? PUBLIC;
}

/** For keys that are either `tenant|client id|client secret` of Microsoft Entra (Azure AD) or an API key. */
export function azureAuth(tokens: TokenCache, cloudAt: (url: string) => Cloud = cloudOf): AuthScheme {
  const read = memoOfKeys(readApplication);
  return (key, request) => {
    if (!key.includes("|")) return apiKeyHeader(key);
    const { tenant, client, secret } = read(key);
    const { login, scope } = cloudAt(request.url);
    const url = `${login}/${tenant}/oauth2/v2.0/token`;
    const form = { grant_type: "client_credentials", client_id: client, client_secret: secret, scope };
    const { trust, proxy } = request;
    return withToken({
      tokens,
      id: tokenId(key, url),
      fetch: () => requestToken({ url, form, secrets: [key, secret], way: { trust, proxy } }),
      shown: bearer,
    });
  };
}

export const azure = azureAuth(processTokens);

/** Throws ChannelSetupError. */
export function checkAzureKey(key: string): void {
  if (key.includes("|")) readApplication(key);
}

function readApplication(key: string): { tenant: string; client: string; secret: string } {
  const [tenant, client, secret] = partsOfKey(key, 3) ?? [];
  // The tenant becomes a part of a URL.
  if (!tenant || !client || !secret || !/^[\w.-]+$/.test(tenant)) {
    const message = "the key must be an API key, or tenant|client id|client secret of Microsoft Entra";
    throw new ChannelSetupError(message, "get_channel_failed");
  }
  return { tenant, client, secret };
}
