import { createHash, createHmac } from "node:crypto";
import type { AuthScheme } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { memoOfKeys, partsOfKey } from "./key-memo";

export type Tc3Request = {
  secretId: string;
  secretKey: string;
  service: string;
  /** The headers to be signed, named in lower case and in alphabetical order. */
  headers: Readonly<Record<string, string>>;
  body: Buffer;
  /** Unix time. */
  seconds: number;
};

const ALGORITHM = "TC3-HMAC-SHA256";

/** The Authorization header of Tencent Cloud's signature version 3, for a POST of "/". */
export function signTc3({ secretId, secretKey, service, headers, body, seconds }: Tc3Request): string {
  const date = new Date(seconds * 1_000).toISOString().slice(0, 10);
  const scope = `${date}/${service}/tc3_request`;
  const names = Object.keys(headers).join(";");
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value.trim().toLowerCase()}\n`);
  const canonical = `POST\n/\n\n${lines.join("")}\n${names}\n${sha256(body)}`;
  const text = `${ALGORITHM}\n${seconds}\n${scope}\n${sha256(canonical)}`;
  const signingKey = hmac(hmac(hmac(`TC3${secretKey}`, date), service), "tc3_request");
  const signature = hmac(signingKey, text).toString("hex");
  return `${ALGORITHM} Credential=${secretId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}

const SERVICE = "hunyuan";
const ACTION = "ChatCompletions";
const VERSION = "2023-09-01";
const HOST = "hunyuan.tencentcloudapi.com";

/** For keys `AppId|SecretId|SecretKey` of Tencent Hunyuan. */
export function tc3Auth(now: () => number = Date.now): AuthScheme {
  const read = memoOfKeys(readTencentKey);
  return (key, { url, body }) => {
    const { secretId, secretKey } = read(key);
    const seconds = Math.floor(now() / 1_000);
    const headers = { "content-type": "application/json", host: signedHost(url), "x-tc-action": ACTION };
    const authorization = signTc3({ secretId, secretKey, service: SERVICE, headers, body, seconds });
    return {
      headers: [
        ...["authorization", authorization, "x-tc-action", ACTION],
        ...["x-tc-version", VERSION, "x-tc-timestamp", String(seconds)],
      ],
    };
  };
}

export const tc3 = tc3Auth();

/** What the request goes through to Tencent is not what Tencent sees. */
function signedHost(url: string): string {
  const { host } = new URL(url);
  return /\.tencentcloudapi\.com$/.test(host) ? host : HOST;
}

/** Throws ChannelSetupError when the key has not three parts. */
export function readTencentKey(key: string): { secretId: string; secretKey: string } {
  const [appId, secretId, secretKey] = partsOfKey(key, 3) ?? [];
  if (appId && secretId && secretKey) return { secretId, secretKey };
  throw new ChannelSetupError("the key must be AppId|SecretId|SecretKey", "get_channel_failed");
}

function sha256(given: string | Buffer): string {
  return createHash("sha256").update(given).digest("hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
