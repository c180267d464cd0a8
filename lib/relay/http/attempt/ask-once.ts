import type { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import { readBounded } from "@/lib/egress/body";
import type { Answer } from "../../answers/answer";
import { openBody } from "../../base/large-body";
import { type Destination, openConnections } from "../../net/open-connections";
import type { Pools } from "../../net/pools";
import { NO_DRAINS } from "../../net/upstream-drains";
import { setupFailure } from "../../providers/requests/prepare-failure";
import { prepareRequest, type Question } from "../../providers/requests/prepare-request";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import { runAttempt } from "./attempt";
import type { AttemptEnd } from "./attempt-end";
import { type AttemptSettings, NOBODY } from "./attempt-settings";

// Everything but the dispatch of an operation asks upstreams here: one channel, with one key, once. No circuit opens, no key
// rests and nothing is switched off. As in dispatch, an access token that was refused is not used again.

/** For a question of Weir's own. `silenceMs`: until the answer's head, and between its pieces. `signal` ends it. */
export type Patience = {
  silenceMs: number;
  signal: AbortSignal;
  /** Begins a span of its own; it ends with the answer. */
  trace?: ((request: UpstreamRequest) => { end(status: number | null): void } | null) | undefined;
};

/** `through`: what the bytes go through before they are counted and kept; absent = nothing. */
export type Bounds = { bytesMax: number; through?: ((body: Readable) => AsyncIterable<Buffer>) | undefined };

type Reply = { request: UpstreamRequest; status: number; headers: Dispatcher.ResponseData["headers"] };

/** `headAt`: when the head of the answer had arrived. */
export type WholeReply = Reply & { headAt: number; body: Buffer };

/** `close` ends the connection, whether everything was read or not. */
export type OpenedReply = Reply & { body: Readable; isSingleUse: boolean; close: () => Promise<unknown> };

/** Reads the answer to a question of Weir's own. Rejects where it cannot be prepared, and where no answer comes within the bounds. */
export async function askOnce(
  question: Question,
  { bytesMax, through, ...patience }: Patience & Bounds,
): Promise<WholeReply> {
  const { body, isSingleUse, close, ...reply } = await openOnce(question, patience);
  const headAt = performance.now();
  const { request, status } = reply;
  try {
    const answer = isSingleUse && status === 200 ? request.openAnswer(request.secrets) : null;
    const read = answer ? untilDone(body, answer) : (through?.(body) ?? body);
    return { ...reply, headAt, body: await readBounded(read, bytesMax) };
  } finally {
    await close();
  }
}

/** The same, but leaves the answer's body to be read, over a connection of its own. */
export async function openOnce(question: Question, { silenceMs, signal, trace }: Patience): Promise<OpenedReply> {
  const { sendable, channel, key, terms } = question;
  const request = await prepareRequest(sendable, channel, key, terms);
  const { origin, path, headers, body: sent, method = "POST" } = request;
  const connections = openConnections(destinationOf(question, request));
  const span = trace?.(request);
  let answered: number | null = null;
  const close = (): Promise<unknown> => {
    span?.end(answered);
    return connections.destroy();
  };
  try {
    const body = method === "GET" || sent.length === 0 ? null : openBody(sent);
    const timeouts = { headersTimeout: silenceMs, bodyTimeout: silenceMs, signal };
    const reply = await connections.take().request({ origin, path, method, headers, body, ...timeouts });
    answered = reply.statusCode;
    if (answered === 401) request.onRefused?.();
    const isSingleUse = connections.isSingleUse === true;
    return { request, status: answered, headers: reply.headers, body: reply.body, isSingleUse, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** An answer whose upstream waits for us to end it, as far as it goes. */
async function* untilDone(body: AsyncIterable<Buffer>, answer: Answer): AsyncGenerator<Buffer> {
  answer.start({ status: 200, contentType: undefined, retryAfter: undefined });
  for await (const chunk of body) {
    yield chunk;
    try {
      answer.push(chunk);
    } catch {
      return;
    }
    if (answer.isDone) return;
  }
}

/** For a question of a caller, who gets what is streamed at once; default: its answer is dropped when the caller leaves. */
export type Passing = Pick<AttemptSettings, "exchange" | "isStream" | "limits"> &
  Partial<Pick<AttemptSettings, "outlivesCaller" | "drains" | "begunAt" | "hasOther">> & { pools: Pools };

const ALONE: Pick<AttemptSettings, "budget" | "drains" | "asker" | "isFresh" | "keepAliveMs" | "hasOther"> = {
  budget: { checkAt: Number.POSITIVE_INFINITY, check: () => "go", follow: () => {} },
  drains: NO_DRAINS,
  asker: NOBODY,
  isFresh: false,
  keepAliveMs: Number.POSITIVE_INFINITY,
  hasOther: () => false,
};

/** Passes the answer on. A request that met a connection which was just being closed goes out again. Rejects with RelayError. */
export async function passOnce(question: Question, { pools, ...passing }: Passing): Promise<AttemptEnd> {
  const { sendable, channel, key, terms } = question;
  let settings: AttemptSettings;
  try {
    const request = await prepareRequest(sendable, channel, key, terms);
    settings = {
      ...ALONE,
      begunAt: performance.now(),
      ...passing,
      request,
      pool: pools.get(destinationOf(question, request)),
    };
  } catch (error) {
    return { kind: "refused", failure: setupFailure(error) };
  }
  let end = await runAttempt(settings);
  if (end.kind === "unreachable" && end.isStale) end = await runAttempt({ ...settings, isFresh: true });
  if (end.kind === "refused" && end.failure.kind === "status" && end.failure.status === 401)
    settings.request.onRefused?.();
  return end;
}

function destinationOf({ channel: { setting, trust } }: Question, { origin }: UpstreamRequest): Destination {
  return { origin, proxy: setting.proxy, trust };
}
