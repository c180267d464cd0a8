import { FormData, request } from "undici";
import type { Trust } from "@/lib/egress";
import { readBounded } from "@/lib/egress/body";
import { AppError } from "@/lib/errors";
import { causeOf } from "../../base/failure-cause";
import { RelayError } from "../../base/relay-error";
import { readRetryAfter } from "../../base/retry-after";
import type { Secrets } from "../../base/secrets";
import { readUpstreamError, reportedStatus } from "../../base/upstream-error";
import type { Connections } from "../../net/connections";
import { openConnections } from "../../net/open-connections";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { endingOf } from "../../wire/dialects/pictures/data-url";
import { ChannelSetupError } from "../setup-error";
import { PrepareFailure } from "./prepare-failure";
import type { PendingUploads } from "./sendable";

/**
 * Holds how to stop a preparation that waits for the upstream; null = it waits for nothing. `hasBegun`: the upstream was
 * asked for the work itself. `isMade`: it has done it, so that only the result is left to be read.
 */
export type Stoppable = { stop: (() => void) | null; hasBegun?: boolean; isMade?: boolean };

export type FileUploads = Pick<PendingUploads, "files" | "form" | "readId"> & {
  url: string;
  /** Alternating names and values of the headers that authenticate. */
  headers: readonly string[];
  trust: Trust;
  /** "" = none. */
  proxy: string;
  secrets: Secrets;
};

/** For all files of a request together. */
const TIMEOUT_MS = 60_000;
const FILES_MAX = 16;
const ANSWER_BYTES_MAX = 65_536;

/**
 * Uploads files side by side, each once. The first failure stops the others. Returns the ids by data URL. Rejects with
 * PrepareFailure, RelayError or ChannelSetupError.
 */
export async function uploadFiles(
  asked: FileUploads,
  stoppable: Stoppable,
  timeoutMs = TIMEOUT_MS,
): Promise<ReadonlyMap<string, string>> {
  const files = [...new Set(asked.files)];
  if (files.length > FILES_MAX) throw tooMany();
  const controller = new AbortController();
  stoppable.stop = () => controller.abort();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(timeoutMs)]);
  const connections = connectionsTo(asked);
  try {
    const ids = await Promise.all(files.map((file) => upload(file, asked, connections, signal)));
    return new Map(files.map((file, at) => [file, ids[at] ?? ""]));
  } finally {
    stoppable.stop = null;
    controller.abort();
    connections.destroy().catch(() => {});
  }
}

function connectionsTo({ url, trust, proxy }: FileUploads): Connections {
  try {
    return openConnections({ origin: new URL(url).origin, trust, proxy });
  } catch (error) {
    if (isForbidden(error)) throw notAllowed();
    throw error;
  }
}

async function upload(
  dataUrl: string,
  asked: FileUploads,
  connections: Connections,
  signal: AbortSignal,
): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(asked.form)) body.append(name, value);
  const { name, mediaType, bytes } = readFile(dataUrl);
  body.append("file", new Blob([bytes], { type: mediaType }), name);
  try {
    const headers = ["accept", "application/json", ...asked.headers];
    const dispatcher = connections.take();
    const reply = await request(asked.url, { dispatcher, method: "POST", headers, body, signal });
    const answer = await readBounded(reply.body, ANSWER_BYTES_MAX);
    const id = reply.statusCode < 300 ? asked.readId(parseJsonObject(answer.toString("utf8")) ?? {}) : null;
    if (id !== null) return id;
    throw refusal(asked, reply.statusCode, answer, reply.headers["retry-after"]);
  } catch (error) {
    throw error instanceof PrepareFailure ? error : unreachable(error, signal);
  }
}

function refusal({ secrets }: FileUploads, status: number, body: Buffer, retryAfter: unknown): PrepareFailure {
  const error = secrets.open(readUpstreamError(status, body));
  const retryAfterMs = typeof retryAfter === "string" ? readRetryAfter(retryAfter) : null;
  return new PrepareFailure({
    kind: "status",
    status: status < 300 ? reportedStatus(body) : status,
    error: { ...error, message: `a file could not be uploaded: ${error.message}` },
    retryAfterMs,
  });
}

function unreachable(error: unknown, { aborted }: AbortSignal): Error {
  if (isForbidden(error)) return notAllowed();
  const cause = aborted ? "timeout_first_byte" : error instanceof Error ? causeOf(error) : "reset";
  const message = aborted ? "a file was not uploaded in time" : `a file could not be uploaded (${cause})`;
  return new PrepareFailure({ kind: "network", cause, message });
}

function isForbidden(error: unknown): boolean {
  return error instanceof AppError && error.code === "invalid";
}

function notAllowed(): ChannelSetupError {
  return new ChannelSetupError("connections to the channel's address are not allowed", "get_channel_failed");
}

function tooMany(): RelayError {
  const message = `no more than ${FILES_MAX} files can be uploaded for a request`;
  return new RelayError("too_many_files", message, { param: "messages" });
}

/** `bytes`: of a length that the caller's body bounds. */
type File = { name: string; mediaType: string; bytes: Buffer<ArrayBuffer> };

const HEAD = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** The file in a data URL of base64; its parameter `name` is its name. */
export function readFile(dataUrl: string): File {
  const [head = "", type = "", parameters = ""] = HEAD.exec(dataUrl) ?? [];
  const mediaType = type.toLowerCase() || "application/octet-stream";
  const given = /;name=([^;,]*)/i.exec(parameters)?.[1] ?? "";
  const name = withoutPath(decode(given)) || `file.${endingOf(mediaType)}`;
  return { name, mediaType, bytes: Buffer.from(dataUrl.slice(head.length), "base64") };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A name is the caller's own text. */
function withoutPath(name: string): string {
  return name.replace(/[\p{Cc}"\\/]+/gu, "_").slice(0, 200);
}
