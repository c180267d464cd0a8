import type { BodyShare } from "../../base/body-budget";
import { BYTES_PER_VALUE, measureJson } from "../../base/json-bounds";
import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../exchange";
import type { Arriving, BodyDeadline } from "./body-deadline";
import { decodeBody, isCompressed, tooLarge } from "./decode-body";

/** The client disconnected while sending the request, so there is nobody to respond to. */
export class ClientDisconnected extends Error {}

export type ReadSettings = {
  bytesMax: number;
  deadline: BodyDeadline;
  share: BodyShare;
  /** Receives the first bytes of a body that is not compressed; what it throws refuses the request. */
  onStart: ((first: Buffer) => void) | null;
};

/**
 * Reads and decompresses the request body. Throws or rejects with 413 as soon as it is too large, 415 for an unknown
 * encoding, 408 when it arrives too slowly, 429 or 503 when too many bytes are in hand already.
 */
export function readBody(exchange: Exchange, settings: ReadSettings): Promise<Buffer> {
  const { request, response } = exchange;
  const encoding = request.headers["content-encoding"];
  const compressed = isCompressed(encoding) ? encoding : null;
  if (Number(request.headers["content-length"] ?? 0) > settings.bytesMax) throw tooLarge(settings.bytesMax);
  if (request.headers.expect !== undefined) response.writeContinue();
  const onStart = compressed === null ? settings.onStart : null;
  const received = receive(exchange, settings, onStart);
  if (compressed === null) return received;
  return received.then((body) => decodeBody(body, compressed, settings.bytesMax, settings.share));
}

function receive(
  exchange: Exchange,
  { bytesMax, deadline, share }: ReadSettings,
  onStart: ReadSettings["onStart"],
): Promise<Buffer> {
  const { request } = exchange;
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    const arriving: Arriving = { place: -1, startedAt: exchange.startedAt, bytes: 0, onLate: () => leave(tooSlow()) };
    deadline.watch(arriving);
    exchange.others.enter(performance.now());
    const onData = (part: Buffer): void => {
      arriving.bytes += part.length;
      try {
        if (arriving.bytes > bytesMax) throw tooLarge(bytesMax);
        share.add(part.length);
        if (parts.push(part) === 1) onStart?.(part);
      } catch (error) {
        leave(error);
      }
    };
    const onEnd = (): void => {
      leave(null);
      const [only] = parts;
      resolve(parts.length === 1 && only ? only : Buffer.concat(parts));
    };
    const leave = (error: unknown): void => {
      exchange.others.leave(performance.now());
      exchange.bodyBytes = arriving.bytes;
      deadline.forget(arriving);
      request.off("data", onData);
      request.off("end", onEnd);
      exchange.whenGone(null);
      if (error !== null) reject(error);
    };
    request.on("data", onData);
    request.on("end", onEnd);
    exchange.whenGone(() => leave(new ClientDisconnected()));
  });
}

export function tooSlow(): RelayError {
  const message = "the request body arrived too slowly";
  return new RelayError("request_timeout", message);
}

/** Counts the values of JSON, and refuses what would take far more time and memory than its length, before it is parsed. Throws 400, 429 or 503. */
export function checkJson(body: Buffer, share: BodyShare): number {
  const bounds = measureJson(body);
  if ("values" in bounds) {
    share.add(bounds.values * BYTES_PER_VALUE);
    return bounds.values;
  }
  const what = bounds.exceeds === "depth" ? "is nested too deeply" : "has too many values";
  throw new RelayError("request_too_complex", `the request body ${what}`);
}
