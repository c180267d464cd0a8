import { sendSignedIn } from "@/components/form/session-keeper";
import { createEventReader, type StreamEvent } from "./event-stream";
import { asObject, errorCode, errorText, type Json, parseJson } from "./wire";

/** Token usage as reported at the end of the stream. */
export type ReportedUsage = { promptTokens: number; completionTokens: number; cachedTokens: number };

/** How an answer ended; `message` is the error text of the server or upstream, `code` the relay's name for it. */
export type AnswerEnd =
  | { kind: "complete"; usage: ReportedUsage | null }
  | { kind: "error"; code: string; message: string; usage: ReportedUsage | null }
  | { kind: "signed-out" };

type Ask = {
  body: object;
  userId: number;
  signal: AbortSignal;
  onText: (text: string) => void;
};

/**
 * Sends a chat to POST /pg/chat/completions with the user's id in the header, and passes on the text while it streams. A
 * stream that closes without [DONE] is complete (console §2.23). Rejects when the connection fails or `signal` aborts.
 */
export async function askPlayground({ body, userId, signal, onText }: Ask): Promise<AnswerEnd> {
  const send = () =>
    fetch("/pg/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", "new-api-user": String(userId), "cache-control": "no-store" },
      body: JSON.stringify(body),
      signal,
    });
  const response = await sendSignedIn(send);
  if (response.status === 401) return { kind: "signed-out" };
  const isStream = response.headers.get("content-type")?.includes("text/event-stream") ?? false;
  if (!response.ok || !isStream || !response.body) return await readWhole(response, onText);
  return await readStream(response.body, onText);
}

async function readStream(body: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<AnswerEnd> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const read = createEventReader();
  let usage: ReportedUsage | null = null;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const event of read(done ? `${decoder.decode()}\n\n` : decoder.decode(value, { stream: true }))) {
        if (event.data === "[DONE]") return { kind: "complete", usage };
        const found = readEvent(event);
        if (found.error !== null) return { kind: "error", code: found.code, message: found.error, usage };
        if (found.text !== "") onText(found.text);
        usage = found.usage ?? usage;
      }
      if (done) return { kind: "complete", usage };
    }
  } finally {
    // After an error event the rest of the stream is not needed.
    reader.cancel().catch(() => {});
  }
}

/** Reads a non-stream response: an error, or a whole completion from an upstream that ignored `stream`. */
async function readWhole(response: Response, onText: (text: string) => void): Promise<AnswerEnd> {
  const text = await response.text();
  const json = parseJson(text);
  const error = errorText(json);
  if (!response.ok || error !== null || json.success === false) {
    const said = error ?? (typeof json.message === "string" ? json.message : "");
    const message = said || text.slice(0, 2_000) || `HTTP ${response.status}`;
    return { kind: "error", code: errorCode(json), message, usage: null };
  }
  onText(textOf(json));
  return { kind: "complete", usage: usageOf(json) };
}

type Read = { text: string; usage: ReportedUsage | null; error: string | null; code: string };

function readEvent({ event, data }: StreamEvent): Read {
  const json = parseJson(data);
  const error = errorText(json) ?? (event === "error" ? data : null);
  return { text: error === null ? textOf(json) : "", usage: usageOf(json), error, code: errorCode(json) };
}

function textOf(json: Json): string {
  const [choice] = Array.isArray(json.choices) ? json.choices : [];
  const { delta, message } = asObject(choice);
  const { content } = asObject(delta ?? message);
  return typeof content === "string" ? content : "";
}

function usageOf(json: Json): ReportedUsage | null {
  const usage = asObject(json.usage);
  const count = (value: unknown) => (typeof value === "number" && value >= 0 ? value : 0);
  const promptTokens = count(usage.prompt_tokens);
  const completionTokens = count(usage.completion_tokens);
  if (promptTokens + completionTokens === 0) return null;
  return { promptTokens, completionTokens, cachedTokens: count(asObject(usage.prompt_tokens_details).cached_tokens) };
}
