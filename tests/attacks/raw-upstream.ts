import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "@/lib/relay/wire/canonical/json";

/** `rest`: sent when the test calls `release`. */
export type RawAnswer = {
  status?: number;
  headers?: Record<string, string>;
  body: string | Buffer;
  rest?: string | Buffer;
};
export type RawAsked = { path: string; headers: Record<string, unknown>; body: Json; text: string };

/** An upstream that answers each request with the bytes that a test wants. */
export async function startRawUpstream(contentType = "application/json") {
  let answer: (asked: RawAsked) => RawAnswer = () => ({ body: "{}" });
  const seen: RawAsked[] = [];
  const waiting: (() => void)[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString("utf8");
      const body = text.startsWith("{") ? (JSON.parse(text) as Json) : {};
      const asked = { path: request.url ?? "", headers: request.headers, body, text };
      seen.push(asked);
      const { status = 200, headers = {}, body: bytes, rest } = answer(asked);
      response.writeHead(status, { "content-type": contentType, ...headers });
      if (rest === undefined) response.end(bytes);
      else {
        response.write(bytes);
        waiting.push(() => response.end(rest));
      }
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer(next: (asked: RawAsked) => RawAnswer): void {
      answer = next;
      seen.length = 0;
    },
    /** Sends the rest of the answers that have begun. */
    release(): void {
      for (const send of waiting.splice(0)) send();
    },
    close(): Promise<void> {
      server.closeAllConnections();
      return new Promise((done) => server.close(() => done()));
    },
  };
}

/** The path and the body by which each caller asks, and whether it streams. */
export const ASKS = {
  "openai-chat": (model: string, stream: boolean, text = "hi") =>
    ["/v1/chat/completions", { model, stream, messages: [{ role: "user", content: text }] }] as const,
  "anthropic-messages": (model: string, stream: boolean, text = "hi") =>
    ["/v1/messages", { model, stream, max_tokens: 99, messages: [{ role: "user", content: text }] }] as const,
  "openai-responses": (model: string, stream: boolean, text = "hi") =>
    ["/v1/responses", { model, stream, input: text }] as const,
  "gemini-generate-content": (model: string, stream: boolean, text = "hi") =>
    [
      `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
      { contents: [{ role: "user", parts: [{ text }] }] },
    ] as const,
};
export type CallerId = keyof typeof ASKS;
export const CALLERS = Object.keys(ASKS) as CallerId[];

/** `onHead`: called when the answer has begun. */
type Asking = { url: string; key: string; onHead?: () => void };

/** Asks a gateway as this caller does. */
export function ask(asking: Asking, caller: CallerId, model: string, stream: boolean, more: Json = {}) {
  const [path, body] = ASKS[caller](model, stream);
  return askWith(asking, path, { ...body, ...more });
}

export async function askWith({ url, key, onHead }: Asking, path: string, body: Json) {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  onHead?.();
  return { status: response.status, text: await response.text() };
}
