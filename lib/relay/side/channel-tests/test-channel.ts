import type { BilledUsage } from "@/lib/billing/types";
import { readBounded } from "@/lib/egress/body";
import { type TlsReason, tlsReasonOf } from "@/lib/egress/tls-reason";
import { AppError } from "@/lib/errors";
import type { OperationId } from "@/lib/operations";
import type { SnapshotChannel } from "@/lib/snapshot/build";
import { type Answer, AnswerRefused } from "../../answers/answer";
import { UNREADABLE_CODE } from "../../base/classify-failure";
import { openBody } from "../../base/large-body";
import { createRequestId } from "../../base/request-id";
import type { Secrets } from "../../base/secrets";
import { readUpstreamError } from "../../base/upstream-error";
import { noConnection } from "../../http/attempt/attempt-end";
import { beginOwn, type OwnSpan } from "../../http/tracing/trace";
import type { Connections } from "../../net/connections";
import { openConnections } from "../../net/open-connections";
import type { Call, Intake, Operation, OperationTest } from "../../operations/operation";
import { PrepareFailure } from "../../providers/requests/prepare-failure";
import { prepareRequest } from "../../providers/requests/prepare-request";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
import type { UpstreamRequest } from "../../providers/requests/upstream-request";
import { ChannelSetupError } from "../../providers/setup-error";
import type { WireError } from "../../wire/canonical/wire-error";
import { defaultDialect } from "../../wire/dialects";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { chooseTest, type Testable } from "./choose-test";

export type ChannelTest = {
  /** What was asked for; absent = nothing could be. */
  operation?: OperationId;
  success: boolean;
  message: string;
  timeMs: number;
  firstTokenMs?: number;
  /** HTTP status of the upstream; undefined when there was no response. */
  status?: number;
  /** Why there was no secure connection. */
  tls?: TlsReason;
  /** The error reported by the upstream. */
  error?: WireError;
  /** Null or undefined = the upstream reported no usage. */
  usage?: BilledUsage | null;
};

const testMs = 60_000;
const MESSAGE_MAX = 300;
const BODY_BYTES_MAX = 4 * 1_048_576;

/**
 * Sends a short request through a channel like a client's and reports the result. `wanted`: null = what the model is for.
 * Never throws.
 */
export async function testChannel(
  channel: SnapshotChannel,
  model: string,
  options: UpstreamOptions,
  wanted: OperationId | null = null,
): Promise<ChannelTest> {
  const operation = chooseTest(channel.type, model, wanted);
  if (!operation) return { success: false, message: "the channel's type has no such operation", timeMs: 0 };
  return { operation: operation.id, ...(await askFor(operation, channel, model, options)) };
}

async function askFor(
  operation: Testable,
  channel: SnapshotChannel,
  model: string,
  options: UpstreamOptions,
): Promise<ChannelTest> {
  const startedAt = performance.now();
  const timeMs = (): number => Math.round(performance.now() - startedAt);
  let connections: Connections | null = null;
  let span: OwnSpan | null = null;
  let status: number | null = null;
  try {
    const { intake, upstream } = await prepareTest(operation, channel, model, options);
    const { setting, trust } = channel;
    connections = openConnections({ origin: upstream.origin, proxy: setting.proxy, trust });
    span = beginOwn({ purpose: "test", operation: operation.id, channel, request: upstream });
    const reply = await connections.take().request({
      origin: upstream.origin,
      path: upstream.path,
      method: upstream.method ?? "POST",
      headers: upstream.headers,
      body: upstream.method === "GET" ? null : openBody(upstream.body),
      headersTimeout: testMs,
      bodyTimeout: testMs,
      // A WebSocket knows no other limit.
      signal: AbortSignal.timeout(2 * testMs),
    });
    status = reply.statusCode;
    const firstTokenMs = timeMs();
    const isSingleUse = connections.isSingleUse === true && reply.statusCode === 200;
    const open = (): Answer => upstream.openAnswer(upstream.secrets);
    const body = await readBounded(isSingleUse ? untilDone(reply.body, open()) : reply.body, BODY_BYTES_MAX);
    const shown = { timeMs: timeMs(), firstTokenMs, status: reply.statusCode };
    if (reply.statusCode === 401) upstream.onRefused?.();
    if (reply.statusCode !== 200) {
      const error = upstream.secrets.open(readUpstreamError(reply.statusCode, body));
      return { success: false, message: short(error.message), error, ...shown };
    }
    const answer = open();
    const failure = findFailure(
      answer,
      { body, type: reply.headers["content-type"] },
      upstream.secrets,
      operation.test,
    );
    if (failure !== null) return { success: false, message: short(failure), ...shown };
    const report = answer.report();
    return { success: true, message: "", usage: report.usage ? await intake.measure(report, null) : null, ...shown };
  } catch (error) {
    const tls = tlsReasonOf(error);
    return { success: false, message: explain(error), timeMs: timeMs(), ...(tls ? { tls } : {}) };
  } finally {
    span?.end(status);
    await connections?.destroy();
  }
}

async function prepareTest(
  operation: Testable,
  channel: SnapshotChannel,
  model: string,
  options: UpstreamOptions,
): Promise<{ intake: Intake; upstream: UpstreamRequest }> {
  const intake = await operation.test.read(model, callOf(operation, operation.test.path));
  const terms = { passThrough: false, cap: null, options };
  return { intake, upstream: await prepareRequest(intake, channel, channel.key, terms) };
}

/** Tests use OpenAI's formats like a client; the relay translates them to the channel's. */
function callOf(operation: Operation, path: string): Call {
  const caller = operation.endpoints.find((endpoint) => endpoint.path === path)?.caller ?? defaultDialect.caller;
  return { operation, caller, requestId: createRequestId(), path, query: "", headers: {}, allowedOptions: [] };
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

/** Why a response with status 200 is still a failure; null = it is valid. */
function findFailure(
  answer: Answer,
  { body, type }: { body: Buffer; type: unknown },
  secrets: Secrets,
  { isAnswer }: OperationTest,
): string | null {
  const contentType = typeof type === "string" ? type : "application/json";
  try {
    answer.start({ status: 200, contentType, retryAfter: undefined });
    const parts = [answer.push(body), answer.end(), answer.ending()];
    const whole = Buffer.concat(parts.filter((part) => part !== null));
    if (reportsError(whole)) return secrets.open(readUpstreamError(200, body)).message;
    return isAnswer(whole) ? null : "the response contains nothing of what was asked for";
  } catch (error) {
    if (!(error instanceof AnswerRefused)) return "the response cannot be read";
    const failure = secrets.failure(error.failure);
    if (failure.kind !== "status") return failure.message;
    return failure.error.code === UNREADABLE_CODE ? "the response is not JSON" : failure.error.message;
  }
}

function reportsError(body: Buffer): boolean {
  return Boolean(parseJsonObject(body.toString("utf8"))?.error);
}

function explain(error: unknown): string {
  if (error instanceof ChannelSetupError || error instanceof PrepareFailure) return short(error.message);
  if (isForbidden(error)) return "connections to this address are not allowed";
  const detail = noConnection(error);
  const why = detail ? `: ${detail}` : "";
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `the upstream could not be reached${code}${why}`;
}

/** The address, or what it resolves to, is not for administrators. */
function isForbidden(error: unknown): boolean {
  return error instanceof AppError && error.code === "invalid";
}

/** Long enough to explain, too short to read another server's answers with. */
function short(message: string): string {
  return message.slice(0, MESSAGE_MAX);
}
