const HEAD_BYTES = 160;
const TYPE_AT_START = /^\s*\{\s*(?:"event_id"\s*:\s*"[\w.-]*"\s*,\s*)?"type"\s*:\s*"([\w.]+)"/;
const APPEND_HEAD =
  /^\s*\{\s*(?:"event_id"\s*:\s*"[\w.-]*"\s*,\s*)?"type"\s*:\s*"input_audio_buffer\.append"\s*,\s*(?:"event_id"\s*:\s*"[\w.-]*"\s*,\s*)?"audio"\s*:\s*"/;
const APPEND_TAIL = /^"\s*(?:,\s*"event_id"\s*:\s*"[\w.-]*"\s*)?\}\s*$/;
const TAIL_BYTES = 160;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The type of an event that begins as servers write them; null = it has to be parsed. */
export function typeAtStart(event: Buffer): string | null {
  return TYPE_AT_START.exec(event.toString("latin1", 0, HEAD_BYTES))?.[1] ?? null;
}

/**
 * The length of the base64 text of an event that appends sound and has nothing else in it; -1 = any other event. Most
 * that callers send are of this kind, and need no parser then.
 */
export function appendedLength(event: Buffer): number {
  const head = APPEND_HEAD.exec(event.toString("latin1", 0, HEAD_BYTES))?.[0];
  if (head === undefined) return -1;
  const end = event.indexOf(QUOTE, head.length);
  if (end === -1 || event[end - 1] === BACKSLASH || event.length - end > TAIL_BYTES) return -1;
  return APPEND_TAIL.test(event.toString("latin1", end)) ? end - head.length : -1;
}
