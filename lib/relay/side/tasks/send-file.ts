import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "@/db/client";
import { logger } from "@/lib/logger";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Caller } from "../../admission/authenticate";
import type { Task } from "../../answers/task";
import { databaseAway, RelayError } from "../../base/relay-error";
import { ownerOf } from "../../base/upstream-objects/queries";
import type { Exchange } from "../../http/exchange";
import { type OpenedFile, openFile } from "../../operations/tasks/files/open-file";
import { FilePlaces } from "../../operations/tasks/files/places";
import type { TaskPageCall } from "../../operations/tasks/platform";
import { findTasks } from "../../operations/tasks/queries";
import { taskUpstreams } from "../../operations/tasks/upstreams";

export type FileNeeds = { sql: Sql; snapshot: SnapshotStore };
type Wanted = { taskId: string; call: TaskPageCall; caller: Caller; wire: string };

const BYTES_MAX = 2 * 1_073_741_824;
/** For the whole file: also for a caller that reads slowly, or not at all. */
const FILE_MS = 900_000;
const places = new FilePlaces();
/** Nothing that a browser would run. */
const CONTENT_TYPE = /^(video\/[\w.+-]+|image\/(png|jpe?g|webp|gif)|(application|binary)\/octet-stream)$/;
const RANGE = /^bytes=\d*-\d*$/;

/** Streams the file that a task of the caller's made; nothing of it is held. Rejects with a RelayError until it begins. */
export async function sendFile(needs: FileNeeds, exchange: Exchange, wanted: Wanted): Promise<void> {
  const { caller, call, taskId, wire } = wanted;
  const [task] = await findTasks(needs.sql, ownerOf(caller), wire, [taskId]).catch((error: unknown) => {
    throw databaseAway({ what: "tasks could not be looked up", cause: error });
  });
  if (!task) throw new RelayError("video_not_found", "no such video");
  if (task.status !== "SUCCESS") {
    throw new RelayError("video_not_ready", "the video is not there yet");
  }
  const leave = places.enter(caller.user.id);
  const signal = AbortSignal.timeout(FILE_MS);
  try {
    const file = await open(needs, exchange, { task, call, signal });
    try {
      await pass(exchange, file, signal);
    } finally {
      await file.close();
    }
  } finally {
    leave();
  }
}

type Opening = { task: Task; call: TaskPageCall; signal: AbortSignal };

async function open({ snapshot }: FileNeeds, exchange: Exchange, opening: Opening): Promise<OpenedFile> {
  const { task, call, signal } = opening;
  const upstream = taskUpstreams.get(task.platform);
  const [url] = task.results;
  const where = upstream?.file ? upstream.file(task, call) : url === undefined ? null : { at: "address" as const, url };
  const { channels, options } = snapshot.current();
  const channel = channels.get(task.channelId) ?? null;
  if (!where || (!channel && where.at !== "address")) throw gone();
  const { range } = exchange.request.headers;
  const headers = typeof range === "string" && RANGE.test(range) ? ["range", range] : [];
  const file = await openFile(where, { task, channel, options, headers, signal }).catch((error: unknown) => {
    logger.warn(
      { err: error, request: exchange.id, channel: task.channelId },
      "the file of a task could not be opened",
    );
    throw new RelayError("fetch_failed", "the video could not be fetched");
  });
  const refusal = refusalOf(file);
  if (refusal) {
    await file.close();
    throw refusal;
  }
  return file;
}

function gone(): RelayError {
  const message = "the video is not at its provider any more";
  return new RelayError("video_expired", message);
}

function refusalOf({ status, contentType, length }: OpenedFile): RelayError | null {
  if (status === 404 || status === 410 || status === 403) return gone();
  if (status === 416) return new RelayError("video_part_not_found", "the video has no such part");
  if (status !== 200 && status !== 206) {
    return new RelayError("upstream_error", `the video could not be fetched: status ${status}`);
  }
  if (!CONTENT_TYPE.test(contentType)) {
    return new RelayError("bad_content_type", "the upstream sent something other than a video");
  }
  if ((length ?? 0) > BYTES_MAX) return new RelayError("upstream_error", "the video is too large");
  return null;
}

async function pass(exchange: Exchange, file: OpenedFile, signal: AbortSignal): Promise<void> {
  const { response } = exchange;
  if (exchange.isGone || response.headersSent) return;
  response.writeHead(file.status, {
    ...(file.length === null ? {} : { "content-length": file.length }),
    ...(file.range === null ? {} : { "content-range": file.range }),
    ...(file.isDivisible ? { "accept-ranges": "bytes" } : {}),
    "cache-control": "private, max-age=3600",
    ...exchange.head(file.contentType),
  });
  try {
    await pipeline(file.body, bounded(), response, { signal });
  } catch (error) {
    // The caller left, or sees that the file is cut: its length is known, or its last chunk is missing.
    if (!exchange.isGone) logger.warn({ err: error, request: exchange.id }, "the file of a task was cut");
    response.destroy();
  }
}

function bounded(): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > BYTES_MAX) done(new Error("the file is too large"));
      else done(null, chunk);
    },
  });
}
