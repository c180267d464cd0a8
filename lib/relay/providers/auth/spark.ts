import { createHmac } from "node:crypto";
import type { AuthScheme } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { memoOfKeys, partsOfKey } from "./key-memo";

export type SparkKey = { appId: string; apiSecret: string; apiKey: string };

/** The URL of a WebSocket with its signature in the query. It is valid for five minutes. */
export function sparkUrl({ apiSecret, apiKey }: Omit<SparkKey, "appId">, url: string, now: Date): string {
  const signed = new URL(url);
  const { host, pathname } = signed;
  const date = now.toUTCString();
  const signature = createHmac("sha256", apiSecret)
    .update(`host: ${host}\ndate: ${date}\nGET ${pathname} HTTP/1.1`)
    .digest("base64");
  const authorization = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  signed.search = new URLSearchParams({
    authorization: Buffer.from(authorization).toString("base64"),
    date,
    host,
  }).toString();
  return signed.href;
}

/** For keys `APPID|APISecret|APIKey` of iFlytek Spark: a signed URL, and the application's id in the body's header. */
export function sparkAuth(now: () => number = Date.now): AuthScheme {
  const read = memoOfKeys(readSparkKey);
  return (key, { url }) => {
    const spark = read(key);
    return {
      headers: [],
      url: sparkUrl(spark, url, new Date(now())),
      fields: { header: { app_id: spark.appId } },
    };
  };
}

export const sparkHmacUrl = sparkAuth();

/** Throws ChannelSetupError when the key has not three parts. */
export function readSparkKey(key: string): SparkKey {
  const [appId, apiSecret, apiKey] = partsOfKey(key, 3) ?? [];
  // The key becomes a quoted string.
  if (appId && apiSecret && apiKey && !apiKey.includes('"')) return { appId, apiSecret, apiKey };
  throw new ChannelSetupError("the key must be APPID|APISecret|APIKey", "get_channel_failed");
}
