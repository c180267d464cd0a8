import type { BilledUsage } from "@/lib/billing/types";
import { type TlsReason, tlsReasonOf } from "@/lib/egress/tls-reason";
import { AppError } from "@/lib/errors";
import type { OperationId } from "@/lib/operations";
import type { SnapshotChannel } from "@/lib/snapshot/build";
import { type Answer, AnswerRefused } from "../../answers/answer";
import { UNREADABLE_CODE } from "../../base/classify-failure";
import { createRequestId } from "../../base/request-id";
import type { Secrets } from "../../base/secrets";
import { readUpstreamError } from "../../base/upstream-error";
import { askOnce } from "../../http/attempt/ask-once";
import { noConnection } from "../../http/attempt/attempt-end";
import { beginOwn } from "../../http/tracing/trace";
import type { Call, Operation, OperationTest } from "../../operations/operation";
import { PrepareFailure } from "../../providers/requests/prepare-failure";
import type { UpstreamOptions } from "../../providers/requests/upstream-options";
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
  try {
    const intake = await operation.test.read(model, callOf(operation, operation.test.path));
    const terms = { passThrough: false, cap: null, options };
    const { request, status, headers, body, headAt } = await askOnce(
      { sendable: intake, channel, key: channel.key, terms },
      {
        silenceMs: testMs,
        // A WebSocket knows no other limit.
        signal: AbortSignal.timeout(2 * testMs),
        trace: (request) => beginOwn({ purpose: "test", operation: operation.id, channel, request }),
        bytesMax: BODY_BYTES_MAX,
      },
    );
    const { secrets } = request;
    const shown = { timeMs: timeMs(), firstTokenMs: Math.round(headAt - startedAt), status };
    if (status !== 200) {
      const error = secrets.open(readUpstreamError(status, body));
      return { success: false, message: short(error.message), error, ...shown };
    }
    const answer = request.openAnswer(secrets);
    const failure = findFailure(answer, { body, type: headers["content-type"] }, secrets, operation.test);
    if (failure !== null) return { success: false, message: short(failure), ...shown };
    const report = answer.report();
    return { success: true, message: "", usage: report.usage ? await intake.measure(report, null) : null, ...shown };
  } catch (error) {
    const tls = tlsReasonOf(error);
    return { success: false, message: explain(error), timeMs: timeMs(), ...(tls ? { tls } : {}) };
  }
}

/** Tests use OpenAI's formats like a client; the relay translates them to the channel's. */
function callOf(operation: Operation, path: string): Call {
  const clientDialect =
    operation.endpoints.find((endpoint) => endpoint.path === path)?.clientDialect ?? defaultDialect.client;
  return { operation, clientDialect, requestId: createRequestId(), path, query: "", headers: {}, allowedOptions: [] };
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
