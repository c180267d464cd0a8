import { pipeline, type Readable } from "node:stream";
import type { IncomingHttpHeaders } from "undici/types/header";
import type { Trust } from "@/lib/egress";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import type { Task } from "../../../answers/task";
import { openConnections } from "../../../net/open-connections";
import type { UpstreamOptions } from "../../../providers/requests/upstream-options";
import { rows } from "../../../providers/rows";
import { keyOf, openAccount } from "../ask-account";
import type { TaskFile } from "../platform";
import { Base64Field } from "./base64-field";

/** A file whose bytes have not been read yet. */
export type OpenedFile = {
  status: number;
  contentType: string;
  /** Null = not known before its end. */
  length: number | null;
  /** The header content-range; null = it is the whole file. */
  range: string | null;
  isDivisible: boolean;
  body: Readable;
  /** Ends the connection, whether everything was read or not. */
  close: () => Promise<unknown>;
};

type Opening = {
  task: Task;
  /** Null = it is not there any more. */
  channel: SnapshotChannel | null;
  options: UpstreamOptions;
  /** Alternating names and values. */
  headers: readonly string[];
  signal: AbortSignal;
};

type Reply = { status: number; headers: IncomingHttpHeaders; body: Readable };

const IDLE_MS = 30_000;
const REDIRECTS_MAX = 3;

/** Opens a file where it is. Rejects where there is no answer. */
export async function openFile(file: TaskFile, opening: Opening): Promise<OpenedFile> {
  if (file.at === "address") return openAddress(file.url, opening, REDIRECTS_MAX);
  const { task, channel, options, signal } = opening;
  if (!channel) throw new Error("the channel of the task is not there any more");
  const serving = Object.values(rows.get(channel.type)?.serves ?? {}).find(({ format }) => format === task.platform);
  const headers = file.at === "field" ? [] : opening.headers;
  const key = keyOf(channel, task.keyHash);
  const asking = { channel, key, url: serving?.url, options, timeoutMs: IDLE_MS, headers, signal };
  const { close, request, ...reply } = await openAccount(file.ask, asking);
  let location: string | null;
  try {
    // What the key adds to the query leads nowhere.
    location = locationOf(reply, new URL(request.origin + request.path.replace(/\?.*/, "")));
  } catch (error) {
    await close();
    throw error;
  }
  if (location) {
    await close();
    return openAddress(location, opening, REDIRECTS_MAX - 1);
  }
  if (file.at === "account" || reply.status !== 200) return opened(reply, close);
  // What goes wrong is seen by the reader.
  const body = pipeline(reply.body, new Base64Field(file.field), () => {});
  const { contentType } = file;
  return { status: 200, contentType, length: null, range: null, isDivisible: false, body, close };
}

/** Without any key. */
async function openAddress(address: string, opening: Opening, redirects: number): Promise<OpenedFile> {
  const url = new URL(address);
  const connections = openConnections({ origin: url.origin, proxy: "", trust: trustOf(url, opening.channel) });
  const close = () => connections.destroy();
  try {
    const { statusCode, headers, body } = await connections.take().request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: "GET",
      headers: ["accept", "*/*", ...opening.headers],
      headersTimeout: IDLE_MS,
      bodyTimeout: IDLE_MS,
      signal: opening.signal,
    });
    const reply = { status: statusCode, headers, body };
    const location = locationOf(reply, url);
    if (!location) return opened(reply, close);
    if (redirects === 0) throw new Error("the file is redirected too often");
    await close();
    return await openAddress(location, opening, redirects - 1);
  } catch (error) {
    await close();
    throw error;
  }
}

/** The upstream itself may keep files, and be on the operator's own network. */
function trustOf(url: URL, channel: SnapshotChannel | null): Trust {
  const base = channel?.baseUrl ?? "";
  return channel && URL.canParse(base) && new URL(base).origin === url.origin ? channel.trust : "public";
}

/** Null = it is no redirect. */
function locationOf({ status, headers }: Pick<Reply, "status" | "headers">, from: URL): string | null {
  const { location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || typeof location !== "string") return null;
  const url = URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (!url || !/^https?:$/.test(url.protocol)) throw new Error("the file is redirected to no address");
  return url.href;
}

function opened({ status, headers, body }: Reply, close: () => Promise<unknown>): OpenedFile {
  const text = (value: string | string[] | undefined): string => (typeof value === "string" ? value : "");
  const length = text(headers["content-length"]);
  const range = text(headers["content-range"]);
  return {
    status,
    contentType: text(headers["content-type"]).split(";")[0]?.trim().toLowerCase() ?? "",
    length: /^\d{1,15}$/.test(length) ? Number(length) : null,
    range: /^bytes [\d*/-]{1,60}$/.test(range) ? range : null,
    isDivisible: text(headers["accept-ranges"]) === "bytes" || status === 206,
    body,
    close,
  };
}
