import type { Frame } from "../wire/canonical/machine";

const NEWLINE = 0x0a;
const RETURN = 0x0d;
const COLON = 0x3a;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;

/**
 * The index after the last event that ends in these bytes; 0 = none does. An event ends with a blank line; some upstreams
 * send none, so a line that ends like JSON or [DONE] ends it too. `before`: the last byte before them, a newline at first.
 */
export function endOfWholeEvents(bytes: Buffer, before: number): number {
  for (let end = bytes.lastIndexOf(NEWLINE) + 1; end > 0; ) {
    const start = end === 1 ? 0 : bytes.lastIndexOf(NEWLINE, end - 2) + 1;
    if (endsEvent(bytes, start, end, before)) return end;
    end = start;
  }
  return 0;
}

function endsEvent(bytes: Buffer, start: number, end: number, before: number): boolean {
  const beginsHere = start > 0 || before === NEWLINE;
  if (beginsHere && bytes[start] === COLON) return true;
  let last = end - 2;
  if (last >= start && bytes[last] === RETURN) last -= 1;
  const byte = last >= start ? bytes[last] : beginsHere ? NEWLINE : before;
  return byte === NEWLINE || byte === CLOSE_BRACE || byte === CLOSE_BRACKET;
}

/** A stretch of an event stream. `frame`: null = comments and blank lines only. */
export type Stretch = { start: number; end: number; frame: Frame | null };

/** Divides whole events into one stretch for each, so that every byte is in one of them. */
export function splitEvents(bytes: Buffer): Stretch[] {
  const stretches: Stretch[] = [];
  let open: Stretch = { start: 0, end: 0, frame: null };
  const close = (end: number): void => {
    if (end > open.start) stretches.push({ ...open, end });
    open = { start: end, end, frame: null };
  };
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, at) + 1 || bytes.length;
    const line = bytes.toString("utf8", at, end).replace(/\r?\n$/, "");
    // A line of data that is whole without a blank line behind it.
    if (line !== "" && open.frame && isWhole(open.frame.data)) close(at);
    if (line.startsWith(":") && !open.frame) close(end);
    else if (line === "") close(end);
    else open.frame = withLine(open.frame, line);
    at = end;
  }
  close(bytes.length);
  return stretches;
}

function isWhole(data: string): boolean {
  if (data.trim() === "[DONE]") return true;
  if (!data.endsWith("}")) return false;
  try {
    JSON.parse(data);
    return true;
  } catch {
    return false;
  }
}

function withLine(frame: Frame | null, line: string): Frame | null {
  const colon = line.indexOf(":");
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
  const { event, data } = frame ?? { event: null, data: "" };
  if (name === "data") return { event, data: data === "" ? value : `${data}\n${value}` };
  return name === "event" ? { event: value, data } : frame;
}
