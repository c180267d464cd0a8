import { sendSignedIn } from "@/components/form/session-keeper";
import { PLAYGROUND_CALLS, type PlaygroundCall } from "@/lib/playground/types";
import { createEventReader, type StreamEvent } from "../event-stream";
import { asObject, errorText, type Json, parseJson } from "../wire";

export type CallContext = { userId: number; group: string; signal: AbortSignal };

/** An answer by what it consists of, and the id under which the log knows its call. */
export type Answer = { requestId: string | null } & (
  | { kind: "json"; json: Json }
  | { kind: "text"; text: string }
  | { kind: "events"; events: AsyncGenerator<StreamEvent & { json: Json }> }
  | { kind: "bytes"; contentType: string; body: ReadableStream<Uint8Array> }
);

/** A call that was refused or failed, with the words of the server or the upstream. */
export class CallFailure extends Error {
  override name = "CallFailure";
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;

  constructor(message: string, about: { status: number; code?: string; requestId?: string | null }) {
    super(message);
    this.status = about.status;
    this.code = about.code ?? "";
    this.requestId = about.requestId ?? null;
  }
}

export class SignedOut extends Error {
  override name = "SignedOut";
}

const SHOWN_MAX = 2_000;

/**
 * Sends a call of an operation under /pg with the user's id in the header. Throws CallFailure and SignedOut; rejects
 * with the error of fetch when there is no connection or `signal` aborts.
 */
export async function callOperation(
  operation: PlaygroundCall,
  body: Json | FormData,
  { userId, group, signal }: CallContext,
): Promise<Answer> {
  const isForm = body instanceof FormData;
  const send = () =>
    fetch(`/pg${PLAYGROUND_CALLS[operation].path}?group=${encodeURIComponent(group)}`, {
      method: "POST",
      headers: {
        "new-api-user": String(userId),
        "cache-control": "no-store",
        ...(isForm ? {} : { "content-type": "application/json" }),
      },
      body: isForm ? body : JSON.stringify(body),
      signal,
    });
  const response = await sendSignedIn(send);
  if (response.status === 401) throw new SignedOut();
  const requestId = response.headers.get("x-oneapi-request-id");
  const contentType = response.headers.get("content-type") ?? "";
  if (!response.ok) throw failureOf(await response.text(), response.status, requestId);
  if (contentType.includes("text/event-stream") && response.body)
    return { kind: "events", requestId, events: readEvents(response.body, requestId) };
  if (contentType.includes("json")) return readJson(await response.text(), response.status, requestId);
  if (contentType.startsWith("text/") || !response.body)
    return { kind: "text", requestId, text: await response.text() };
  return { kind: "bytes", requestId, contentType, body: response.body };
}

function readJson(text: string, status: number, requestId: string | null): Answer {
  const json = parseJson(text);
  if (errorText(json) !== null || json.success === false) throw failureOf(text, status, requestId);
  return { kind: "json", json, requestId };
}

function failureOf(text: string, status: number, requestId: string | null): CallFailure {
  const json = parseJson(text);
  const said = errorText(json) ?? (typeof json.message === "string" ? json.message : "");
  const { code } = asObject(json.error);
  const message = said || text.slice(0, SHOWN_MAX) || `HTTP ${status}`;
  return new CallFailure(message, { status, requestId, ...(typeof code === "string" ? { code } : {}) });
}

/** The events up to [DONE]. Throws CallFailure for an error among them. */
async function* readEvents(body: ReadableStream<Uint8Array>, requestId: string | null) {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = createEventReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const event of read(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }))) {
        if (event.data === "[DONE]") return;
        const json = parseJson(event.data);
        if (event.event === "error" || errorText(json) !== null)
          throw failureOf(errorText(json) === null ? event.data : JSON.stringify(json), 200, requestId);
        yield { ...event, json };
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}
