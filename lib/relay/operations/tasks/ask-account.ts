import { pipeline, type Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { sha256Hex } from "@/lib/crypto";
import { readBounded } from "@/lib/egress/body";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { openBody } from "../../base/large-body";
import { Secrets } from "../../base/secrets";
import type { Traceable } from "../../http/tracing/request-trace";
import type { OwnSpan } from "../../http/tracing/trace";
import { openConnections } from "../../net/open-connections";
import type { UpstreamRow, UrlParts } from "../../providers/channel-type";
import { addressWith, bodyWith, secretPairs } from "../../providers/credentials";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
import { rows } from "../../providers/rows";
import { ChannelSetupError, unsupportedType } from "../../providers/setup-error";
import { ShortTexts } from "./files/short-texts";
import type { TaskAsk } from "./platform";

export type AccountReply = { status: number; contentType: string; body: Buffer; secrets: Secrets };

export type Asking = {
  channel: SnapshotChannel;
  key: string;
  /** Builds the URL of the operation; undefined = the row's own. */
  url: ((parts: UrlParts) => string) | undefined;
  options: UpstreamOptions;
  timeoutMs: number;
  /** Alternating names and values. */
  headers?: readonly string[];
  /** Begins the span of the question; it ends with the head of the answer. */
  trace?: (request: Traceable) => OwnSpan | null;
  /** Default: as long as the timeout. */
  signal?: AbortSignal;
};

/** `textMax`: longer texts in the JSON are cut, so that a file in it is not held; absent = none are. */
type AnswerBounds = { bytesMax: number; textMax?: number | undefined };

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
export async function askAccount(ask: TaskAsk, asking: Asking & AnswerBounds): Promise<AccountReply> {
  const { reply, secrets, close } = await openAccount(ask, asking);
  try {
    const contentType = reply.headers["content-type"];
    return {
      status: reply.statusCode,
      contentType: typeof contentType === "string" ? contentType : "",
      body: await readBounded(asking.textMax ? cut(reply.body, asking.textMax) : reply.body, asking.bytesMax),
      secrets,
    };
  } finally {
    await close();
  }
}

function cut(body: Readable, textMax: number): Readable {
  // What goes wrong is seen by the reader.
  return pipeline(body, new ShortTexts(textMax), () => {});
}

export type OpenedAccount = {
  reply: Dispatcher.ResponseData;
  url: URL;
  secrets: Secrets;
  /** Ends the connection, whether everything was read or not. */
  close: () => Promise<unknown>;
};

/** The same without reading the answer's body. */
export async function openAccount(ask: TaskAsk, asking: Asking): Promise<OpenedAccount> {
  const { channel, key, timeoutMs, signal = AbortSignal.timeout(timeoutMs) } = asking;
  const row = rows.get(channel.type);
  if (!row) throw unsupportedType(channel.type);
  const url = urlOf(ask, row, asking);
  const body = ask.body === undefined ? NO_BODY : Buffer.from(JSON.stringify(ask.body));
  const { trust, setting } = channel;
  const credentials = await row.auth(key, { url: url.href, body, trust, proxy: setting.proxy });
  const address = addressWith({ origin: url.origin, path: url.pathname + url.search }, credentials);
  const sent = ask.body === undefined ? NO_BODY : bodyWith(body, credentials);
  const headers = ["accept", "*/*", ...(sent.length > 0 ? ["content-type", "application/json"] : [])];
  if (row.quirks.headers) headers.push(...row.quirks.headers);
  headers.push(...credentials.headers, ...(asking.headers ?? []));
  const connections = openConnections({ origin: address.origin, proxy: setting.proxy, trust });
  const span = asking.trace?.({ origin: address.origin, model: "", headers }) ?? null;
  try {
    const reply = await connections.take().request({
      origin: address.origin,
      path: address.path,
      method: ask.method,
      headers,
      body: sent.length > 0 ? openBody(sent) : null,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      signal,
    });
    span?.end(reply.statusCode);
    const secrets = new Secrets(key, secretPairs(credentials), setting.proxy);
    return { reply, url, secrets, close: () => connections.destroy() };
  } catch (error) {
    span?.end(null);
    await connections.destroy();
    throw error;
  }
}

function urlOf(ask: TaskAsk, row: UpstreamRow, { channel, key, url, options }: Asking): URL {
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
  const text = url ? url(parts) : row.keyedUrl ? row.keyedUrl(parts, key) : row.url(parts);
  if (!URL.canParse(text)) throw new ChannelSetupError("the channel has no valid base URL", "get_channel_failed");
  return new URL(text);
}
