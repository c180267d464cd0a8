import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { DOCUMENT_ROUTES, type Route } from "./fake-document-routes";

export type SeenDocument = { path: string; headers: IncomingMessage["headers"]; body: Record<string, unknown> };

export type DocumentUpstream = {
  url: string;
  /** Every request that was received, in order; not those for tokens. */
  seen: SeenDocument[];
  close: () => Promise<void>;
};

/**
 * Starts upstreams of embeddings, rerankings, moderations and completions, one under each provider's name as the first
 * part of the path. Each refuses with 400 what its provider's documentation does not have. What the model's name ends in
 * selects a failure: `-429`, `-500`, `-silent`, `-cut`, `-empty`, `-error` (an error with status 200), `-huge`; `-large` is
 * none.
 */
export async function startDocumentUpstream(): Promise<DocumentUpstream> {
  const seen: SeenDocument[] = [];
  const server = createServer((request, response) => {
    serve(request, response, seen).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, seen: SeenDocument[]): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = request.url ?? "";
  if (path.startsWith("/oauth/2.0/token"))
    return send(response, 200, { access_token: "token-1", expires_in: 2_592_000 });
  const body = JSON.parse(Buffer.concat(parts).toString("utf8")) as Record<string, unknown>;
  seen.push({ path, headers: request.headers, body });
  const route = DOCUMENT_ROUTES.find((one) => one.path.test(path));
  if (!route) return send(response, 404, { error: { message: `no ${path} here` } });
  if (!isAuthorized(request, route)) return send(response, 401, { error: { message: "wrong key" } });
  const checked = route.body.safeParse(body);
  if (!checked.success) return send(response, 400, { error: { message: z.prettifyError(checked.error) } });
  const model = typeof body.model === "string" ? body.model : decodeURIComponent(path);
  const kind = /-(429|500|silent|cut|empty|error|huge|large)(?=$|:|\?)/.exec(model)?.[1] ?? "";
  if (kind === "429" || kind === "500")
    return send(response, Number(kind), { error: { message: `status ${kind} it is` } });
  if (kind === "silent") return;
  if (kind === "huge") return sendHuge(response);
  if (kind === "large") return void response.writeHead(200, { "content-type": "application/json" }).end(LARGE);
  if (kind === "empty") return send(response, 200, route.empty ?? {});
  if (kind === "error") return send(response, 200, { error: { message: "all is lost", code: 503 } });
  const answer = route.answer(body);
  if (Array.isArray(answer)) return sendStream(response, answer, kind === "cut");
  if (kind !== "cut") return send(response, 200, answer);
  const text = JSON.stringify(answer);
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  response.write(text.slice(0, text.length / 2));
  await delay(20);
  response.destroy();
}

/** More than the buffers of a connection hold. */
const LARGE = JSON.stringify({
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: "A".repeat(16_777_216) }],
  usage: { prompt_tokens: 7, total_tokens: 7 },
});

/** An answer that begins like every other, of 68 MB. */
async function sendHuge(response: ServerResponse): Promise<void> {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0');
  const numbers = ",0.25".repeat(200_000);
  for (let sent = 0; sent < 68 && !response.destroyed; sent += 1) {
    await new Promise((done) => response.write(numbers, done));
  }
  response.end("]}]}");
}

function isAuthorized({ headers, url = "" }: IncomingMessage, { key = "bearer" }: Route): boolean {
  if (key === "google") return headers["x-goog-api-key"] === "good-key";
  if (key === "baidu") return url.includes("access_token=token-1");
  if (key === "azure") return headers["api-key"] === "good-key";
  return headers.authorization === "Bearer good-key";
}

async function sendStream(response: ServerResponse, events: readonly unknown[], isCut: boolean): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const some = isCut ? events.slice(0, 2) : events;
  for (const event of some) {
    response.write(`data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
    await delay(2);
  }
  if (isCut) response.destroy();
  else response.end();
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
