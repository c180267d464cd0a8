import type { IncomingMessage } from "node:http";
import type { WebSocket } from "ws";
import type { FailureCause } from "../../base/failure-cause";
import { readUpstreamError, reportedStatus } from "../../base/upstream-error";
import { type AttemptEnd, GONE_UNSENT, unreachableBy } from "../../http/attempt/attempt-end";
import type { AttemptSettings } from "../../http/attempt/attempt-settings";
import { WebSockets } from "../../net/web-sockets";
import { typeAtStart } from "./event-type";

export type Frame = { data: Buffer; isBinary: boolean };
/** `early`: the frames that it has sent, at least one. Nothing more is read until it is resumed. */
export type Opened = { socket: WebSocket; early: Frame[] };

const ERROR_BYTES_MAX = 65_536;

/** Opens a session at an upstream and waits for its first event. An error as the first one is a refusal. */
export function openUpstream(
  { pool, request, limits, exchange, hasOther }: AttemptSettings,
  bytesMax: number,
): Promise<Opened | AttemptEnd> {
  if (!(pool instanceof WebSockets)) return Promise.resolve(unreachable("setup"));
  const socket = pool.session(request.path, request.headers, bytesMax);
  return new Promise((resolve) => {
    const early: Frame[] = [];
    let isOpen = false;
    const settle = (found: Opened | AttemptEnd): void => {
      clearTimeout(timer);
      exchange.whenGone(null);
      socket.removeAllListeners();
      socket.on("error", () => {});
      if (!("socket" in found)) socket.terminate();
      resolve(found);
    };
    const onLate = (): void => settle(unreachable(isOpen ? "timeout_first_byte" : "timeout_connect"));
    const waitMs = (ms: number): number => Math.min(ms, limits.whole, 2 ** 31 - 1);
    let timer = setTimeout(onLate, waitMs(limits.connect));
    socket
      .on("open", () => {
        isOpen = true;
        clearTimeout(timer);
        timer = setTimeout(onLate, waitMs(hasOther() ? limits.firstByte : Math.max(limits.firstByte, limits.alone)));
      })
      .on("message", (data: Buffer, isBinary) => {
        early.push({ data, isBinary });
        if (early.length > 1) return;
        if (!isBinary && typeAtStart(data) === "error") settle(refused(request, reportedStatus(data), data));
        else {
          socket.pause();
          // What was received with it is emitted in this turn.
          queueMicrotask(() => settle({ socket, early }));
        }
      })
      .on("unexpected-response", (_request, response: IncomingMessage) => {
        readBody(response).then((body) => settle(refused(request, response.statusCode ?? 502, body)));
      })
      .on("error", (error: Error) => settle(unreachableBy(error)))
      .on("close", () => settle(unreachable("reset")));
    exchange.whenGone(() => settle(GONE_UNSENT));
  });
}

function unreachable(cause: FailureCause): AttemptEnd {
  return { kind: "unreachable", cause, isStale: false };
}

function refused({ secrets }: AttemptSettings["request"], status: number, body: Buffer): AttemptEnd {
  const error = readUpstreamError(status, body);
  return { kind: "refused", failure: secrets.failure({ kind: "status", status, error, retryAfterMs: null }) };
}

async function readBody(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of response) {
      parts.push(part as Buffer);
      length += (part as Buffer).length;
      if (length > ERROR_BYTES_MAX) break;
    }
  } catch {
    // What arrived before says enough.
  }
  return Buffer.concat(parts);
}
