import { skipSpace } from "../base/json-splice";

/** What a body shows itself to be, whatever its content type says. */
export type BodyForm = "events" | "document" | "unknown";

const FIRST_OF_EVENTS = new Set(Buffer.from("de:"));
const FIRST_OF_DOCUMENT = new Set(Buffer.from("{[<"));

/** The form that the first byte tells: of a field or a comment of an event stream, or of JSON or HTML. */
export function formOf(bytes: Buffer): BodyForm {
  const first = bytes[skipSpace(bytes, 0)] ?? 0;
  if (FIRST_OF_EVENTS.has(first)) return "events";
  return FIRST_OF_DOCUMENT.has(first) ? "document" : "unknown";
}

/** Whether to read a body as an event stream. */
export function isEventStream(first: Buffer, contentType: string | undefined): boolean {
  const form = formOf(first);
  return form === "events" || (form === "unknown" && contentType?.includes("text/event-stream") === true);
}
