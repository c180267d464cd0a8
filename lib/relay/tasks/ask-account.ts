import { sha256Hex } from "@/lib/crypto";
import { readBounded } from "@/lib/egress/body";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { openBody } from "../large-body";
import { Secrets } from "../secrets";
import type { Connections } from "../transport/connections";
import { openConnections } from "../transport/open-connections";
import type { UrlParts } from "../upstreams/channel-type";
import { addressWith, bodyWith, secretPairs } from "../upstreams/credentials";
import { rows } from "../upstreams/rows";
import { ChannelSetupError, unsupportedType } from "../upstreams/setup-error";
import type { UpstreamOptions } from "../upstreams/upstream-options";
import type { TaskAsk } from "./platform";

export type AccountReply = { status: number; contentType: string; body: Buffer; secrets: Secrets };

export type Asking = {
  channel: SnapshotChannel;
  key: string;
  /** Builds the URL of the operation; undefined = the row's own. */
  url: ((parts: UrlParts) => string) | undefined;
  options: UpstreamOptions;
  timeoutMs: number;
  bytesMax: number;
};

const NO_BODY = Buffer.alloc(0);

/**
 * The key that made a task. A key that is no longer there was replaced: the account may be the same one, so the channel's
 * present key is used; an upstream that does not know the task then says so.
 */
export function keyOf(channel: SnapshotChannel, keyHash: string): string {
  const found = channel.keys?.find(({ key }) => sha256Hex(key) === keyHash);
  return found?.key ?? channel.key;
}

/** Asks a channel's upstream something about tasks. Rejects where there is no answer within the bounds. */
export async function askAccount(ask: TaskAsk, asking: Asking): Promise<AccountReply> {
  const { channel, key, options, timeoutMs, bytesMax } = asking;
  const row = rows.get(channel.type);
  if (!row) throw unsupportedType(channel.type);
  const [path = "", query] = ask.path.split("?");
  const parts: UrlParts = {
    baseUrl: channel.baseUrl || row.baseUrl,
    path,
    query: query === undefined ? "" : `?${query}`,
    model: "",
    other: channel.other,
    isStream: false,
    options,
  };
  const text = asking.url ? asking.url(parts) : row.keyedUrl ? row.keyedUrl(parts, key) : row.url(parts);
  if (!URL.canParse(text)) throw new ChannelSetupError("the channel has no valid base URL", "get_channel_failed");
  const url = new URL(text);
  const body = ask.body === undefined ? NO_BODY : Buffer.from(JSON.stringify(ask.body));
  const { trust, setting } = channel;
  const credentials = await row.auth(key, { url: url.href, body, trust, proxy: setting.proxy });
  const address = addressWith({ origin: url.origin, path: url.pathname + url.search }, credentials);
  const sent = ask.body === undefined ? NO_BODY : bodyWith(body, credentials);
  const headers = ["accept", "*/*", ...(sent.length > 0 ? ["content-type", "application/json"] : [])];
  if (row.quirks.headers) headers.push(...row.quirks.headers);
  headers.push(...credentials.headers);
  let connections: Connections | null = null;
  try {
    connections = openConnections({ origin: address.origin, proxy: setting.proxy, trust });
    const reply = await connections.take().request({
      origin: address.origin,
      path: address.path,
      method: ask.method,
      headers,
      body: sent.length > 0 ? openBody(sent) : null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal: AbortSignal.timeout(timeoutMs),
    });
    const contentType = reply.headers["content-type"];
    return {
      status: reply.statusCode,
      contentType: typeof contentType === "string" ? contentType : "",
      body: await readBounded(reply.body, bytesMax),
      secrets: new Secrets(key, secretPairs(credentials), setting.proxy),
    };
  } finally {
    await connections?.destroy();
  }
}
