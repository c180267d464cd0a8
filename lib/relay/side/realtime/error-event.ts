import type { RelayError } from "../../base/relay-error";
import { createRequestId } from "../../base/request-id";
import type { WireError } from "../../wire/canonical/wire-error";

/** An error as an event of a session (contract §4.6). */
export function errorEvent({ message, type, param, code }: WireError): string {
  const eventId = `evt_${createRequestId().replaceAll("-", "")}`;
  return JSON.stringify({ event_id: eventId, type: "error", error: { type, code, message, param, event_id: null } });
}

/** The reason of a close frame has room for so many bytes. */
const REASON_BYTES_MAX = 123;

export function closeReason(text: string): string {
  let reason = text;
  while (Buffer.byteLength(reason) > REASON_BYTES_MAX) reason = reason.slice(0, -1);
  return reason;
}

export const CLOSE = {
  normal: 1_000,
  away: 1_001,
  policy: 1_008,
  failed: 1_011,
  restart: 1_012,
  later: 1_013,
} as const;

/** What an error closes a session with. Who reads "later" opens another session, so it is not said where waiting mends nothing. */
export function closeCodeOf({ status, maySoonBeServed }: RelayError): number {
  if (maySoonBeServed && (status === 429 || status === 503)) return CLOSE.later;
  return status >= 500 ? CLOSE.failed : CLOSE.policy;
}

/** Codes that may be sent; all others only say how a connection ended. */
export function sendableCode(code: number): number {
  const isSendable = (code >= 1_000 && code <= 1_014 && ![1_004, 1_005, 1_006].includes(code)) || code >= 3_000;
  if (isSendable) return code;
  return code === 1_005 ? CLOSE.normal : CLOSE.failed;
}
