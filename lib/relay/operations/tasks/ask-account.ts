import { pipeline } from "node:stream";
import { sha256Hex } from "@/lib/crypto";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { StoredAnswer } from "../../answers/stored-answer";
import type { Secrets } from "../../base/secrets";
import { askOnce, type OpenedReply, openOnce, type Patience } from "../../http/attempt/ask-once";
import type { UrlParts } from "../../providers/channel-type";
import type { Question } from "../../providers/requests/prepare-request";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
import type { Encoded, EncodeTarget } from "../operation";
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
  trace?: Patience["trace"];
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
  const { bytesMax, textMax } = asking;
  // What goes wrong is seen by the reader.
  const through = textMax
    ? (body: OpenedReply["body"]) => pipeline(body, new ShortTexts(textMax), () => {})
    : undefined;
  const reply = await askOnce(questionFor(ask, asking), { ...patienceOf(asking), bytesMax, through });
  const contentType = reply.headers["content-type"];
  return {
    status: reply.status,
    contentType: typeof contentType === "string" ? contentType : "",
    body: reply.body,
    secrets: reply.request.secrets,
  };
}

/** The same without reading the answer's body. */
export function openAccount(ask: TaskAsk, asking: Asking): Promise<OpenedReply> {
  return openOnce(questionFor(ask, asking), patienceOf(asking));
}

function patienceOf({ timeoutMs, trace, signal = AbortSignal.timeout(timeoutMs) }: Asking): Patience {
  return { silenceMs: timeoutMs, signal, trace };
}

function questionFor(ask: TaskAsk, { channel, key, url, options, headers = [] }: Asking): Question {
  const [path = "", query] = ask.path.split("?");
  const encode = ({ row }: EncodeTarget): Encoded => {
    const { keyedUrl } = row;
    return {
      method: ask.method,
      path,
      query: query === undefined ? "" : `?${query}`,
      // Given here, because addresses are remembered by path, and every task has its own.
      url: url ?? (keyedUrl ? (parts) => keyedUrl(parts, key) : row.url),
      headers,
      accept: "*/*",
      ...(ask.body === undefined
        ? { body: NO_BODY, contentType: null }
        : { body: Buffer.from(JSON.stringify(ask.body)) }),
      openAnswer: (secrets) => new StoredAnswer("bytes", secrets),
    };
  };
  const sendable = { model: "", isStream: false, encode };
  return { sendable, channel, key, terms: { passThrough: true, cap: null, options } };
}
