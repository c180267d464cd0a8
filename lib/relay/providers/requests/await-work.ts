import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import type { Trust } from "@/lib/egress";
import { readBounded } from "@/lib/egress/body";
import { AppError } from "@/lib/errors";
import type { AttemptFailure } from "../../base/classify-failure";
import { causeOf, provesNothing, UNSENT_CAUSES } from "../../base/failure-cause";
import { openBody } from "../../base/large-body";
import { readRetryAfter } from "../../base/retry-after";
import type { Secrets } from "../../base/secrets";
import { readUpstreamError, reportedStatus } from "../../base/upstream-error";
import type { Connections } from "../../net/connections";
import { openConnections } from "../../net/open-connections";
import type { Json } from "../../wire/canonical/json";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { reportsError } from "../../wire/dialects/common/reported-error";
import { ChannelSetupError } from "../setup-error";
import { PrepareFailure } from "./prepare-failure";
import type { PendingWork } from "./sendable";
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
  let isBegun = false;
  try {
    stoppable.hasBegun = true;
    const answer = await ask(asking, connections, signal);
    const id = work.readId(answer.json ?? {});
    isBegun = id !== null || !isRefusal(answer);
    if (id === null) throw failureOf(answer);
    const result = await resultAt(work.path(id));
    for (;;) {
      // The work has begun, so a poll that fails is repeated.
      const seen = await ask(result, connections, signal).catch((error: unknown) => {
        if (signal.aborted || isForbidden(error)) throw error;
        return null;
      });
      if (seen && seen.status >= 400 && seen.status < 500 && !PASSING.has(seen.status)) throw failureOf(seen);
      const state = seen?.json && seen.status < 300 ? work.stateOf(seen.json) : "running";
      stoppable.isMade = state === "made";
      if (state !== "running") return result;
      await delay(everyMs, undefined, { signal });
    }
  } catch (error) {
    const known = error instanceof PrepareFailure || error instanceof ChannelSetupError;
    const failed = known ? error : unreachable(error, signal);
    throw failed instanceof PrepareFailure && (isBegun || isLost(failed.failure)) ? begun(failed) : failed;
  } finally {
    stoppable.stop = null;
    controller.abort();
    connections.destroy().catch(() => {});
  }
}

/** A poll that fails with one of these is repeated. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function begun({ failure }: PrepareFailure): PrepareFailure {
  return new PrepareFailure(failure.kind === "setup" ? failure : { ...failure, work: "unclear" });
}

/** Whether a request for work may have arrived, although no good answer did. */
function isLost(failure: AttemptFailure): boolean {
  if (failure.kind === "setup") return false;
  return failure.kind === "status" ? provesNothing(failure.status) : !UNSENT_CAUSES.has(failure.cause);
}

/** An error status, or an error in a good answer. */
function isRefusal({ status, json }: Reply): boolean {
  return status > 299 || (json !== null && reportsError(json, null, false));
}

function connectionsTo({ asking, trust, proxy }: AwaitedWork): Connections {
  try {
    return openConnections({ origin: asking.origin, trust, proxy });
  } catch (error) {
    if (isForbidden(error)) throw notAllowed();
    throw error;
  }
}

type Reply = { status: number; json: Json | null; body: Buffer; retryAfter: unknown; secrets: Secrets };

async function ask(asked: UpstreamRequest, connections: Connections, signal: AbortSignal): Promise<Reply> {
  const { origin, path, headers, method = "POST", body: given, secrets } = asked;
  const dispatcher = connections.take();
  const sent = method === "GET" ? null : openBody(given);
  const reply = await request(`${origin}${path}`, { dispatcher, method, headers, body: sent, signal });
  const body = await readBounded(reply.body, ANSWER_BYTES_MAX);
  connections.giveBack(dispatcher);
  const retryAfter = reply.headers["retry-after"];
  return { status: reply.statusCode, json: parseJsonObject(body.toString("utf8")), body, retryAfter, secrets };
}

function failureOf(reply: Reply): PrepareFailure {
  const { status, body, retryAfter, secrets } = reply;
  if (!isRefusal(reply)) {
    return new PrepareFailure({ kind: "network", cause: "bad_answer", message: "the upstream did not begin its work" });
  }
  return new PrepareFailure({
    kind: "status",
    status: status < 300 ? reportedStatus(body) : status,
    error: secrets.open(readUpstreamError(status, body)),
    retryAfterMs: typeof retryAfter === "string" ? readRetryAfter(retryAfter) : null,
  });
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
