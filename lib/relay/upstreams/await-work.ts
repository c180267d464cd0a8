import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import type { Trust } from "@/lib/egress";
import { readBounded } from "@/lib/egress/body";
import { AppError } from "@/lib/errors";
import type { Json } from "../canonical/json";
import { parseJsonObject } from "../dialects/json-text";
import { causeOf } from "../failure-cause";
import { openBody } from "../large-body";
import type { PendingWork } from "../operations/operation";
import { readRetryAfter } from "../retry-after";
import type { Connections } from "../transport/connections";
import { openConnections } from "../transport/open-connections";
import { readUpstreamError, reportedStatus } from "../upstream-error";
import { PrepareFailure } from "./prepare-failure";
import { ChannelSetupError } from "./setup-error";
import type { Stoppable } from "./upload-files";
import type { UpstreamRequest } from "./upstream-request";

export type AwaitedWork = {
  asking: UpstreamRequest;
  work: PendingWork;
  resultAt(path: string): Promise<UpstreamRequest>;
  trust: Trust;
  /** "" = none. */
  proxy: string;
};

export type WorkPace = { everyMs: number; wholeMs: number };

/** Contract §6.8 asks every three seconds, twenty times; the first pictures are done sooner. */
export const usualWorkPace: WorkPace = { everyMs: 1_000, wholeMs: 120_000 };
const ANSWER_BYTES_MAX = 1_048_576;

/**
 * Asks an upstream for work that it does later, and looks until it is over. Returns the request for its result. Rejects
 * with PrepareFailure or ChannelSetupError.
 */
export async function awaitWork(
  awaited: AwaitedWork,
  stoppable: Stoppable,
  { everyMs, wholeMs } = usualWorkPace,
): Promise<UpstreamRequest> {
  const { asking, work, resultAt } = awaited;
  const controller = new AbortController();
  stoppable.stop = () => controller.abort();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(wholeMs)]);
  const connections = connectionsTo(awaited);
  try {
    stoppable.hasBegun = true;
    const id = work.readId(await ask(asking, connections, signal));
    if (id === null) throw noWork();
    const result = await resultAt(work.path(id));
    while (!work.isOver(await ask(result, connections, signal))) await delay(everyMs, undefined, { signal });
    return result;
  } catch (error) {
    throw error instanceof PrepareFailure ? error : unreachable(error, signal);
  } finally {
    stoppable.stop = null;
    controller.abort();
    connections.destroy().catch(() => {});
  }
}

function connectionsTo({ asking, trust, proxy }: AwaitedWork): Connections {
  try {
    return openConnections({ origin: asking.origin, trust, proxy });
  } catch (error) {
    if (isForbidden(error)) throw notAllowed();
    throw error;
  }
}

/** Throws PrepareFailure for what is no success. */
async function ask(asked: UpstreamRequest, connections: Connections, signal: AbortSignal): Promise<Json> {
  const { origin, path, headers, method = "POST", body, secrets } = asked;
  const dispatcher = connections.take();
  const sent = method === "GET" ? null : openBody(body);
  const reply = await request(`${origin}${path}`, { dispatcher, method, headers, body: sent, signal });
  const answer = await readBounded(reply.body, ANSWER_BYTES_MAX);
  connections.giveBack(dispatcher);
  const json = reply.statusCode < 300 ? parseJsonObject(answer.toString("utf8")) : null;
  if (json) return json;
  const retryAfter = reply.headers["retry-after"];
  throw new PrepareFailure({
    kind: "status",
    status: reply.statusCode < 300 ? reportedStatus(answer) : reply.statusCode,
    error: secrets.open(readUpstreamError(reply.statusCode, answer)),
    retryAfterMs: typeof retryAfter === "string" ? readRetryAfter(retryAfter) : null,
  });
}

function noWork(): PrepareFailure {
  return new PrepareFailure({ kind: "network", cause: "bad_answer", message: "the upstream did not begin its work" });
}

function unreachable(error: unknown, { aborted }: AbortSignal): Error {
  if (isForbidden(error)) return notAllowed();
  const cause = aborted ? "timeout_first_byte" : error instanceof Error ? causeOf(error) : "reset";
  const message = aborted ? "the upstream did not end its work in time" : `the upstream cannot be reached (${cause})`;
  return new PrepareFailure({ kind: "network", cause, message });
}

function isForbidden(error: unknown): boolean {
  return error instanceof AppError && error.code === "invalid";
}

function notAllowed(): ChannelSetupError {
  return new ChannelSetupError("connections to the channel's address are not allowed", "get_channel_failed");
}
