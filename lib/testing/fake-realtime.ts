import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import { FakeRealtimeSession } from "./fake-realtime-session";

export type FakeRealtime = {
  url: string;
  /** The sessions so far, oldest first. */
  sessions: FakeRealtimeSession[];
  /** Events that OpenAI would not accept. */
  faults: string[];
  /** Sessions that are open. */
  open: () => number;
  close: () => Promise<void>;
};

const refusals: Record<string, [number, string]> = {
  "rt-down": [500, "The server had an error"],
  "rt-busy": [429, "Rate limit reached"],
};

/**
 * OpenAI's Realtime API on loopback, also at Azure's paths, for the key good-key. What else the model rt-… does is in its
 * name: down, busy, silent, dies, error. fake-realtime-session.ts says what a response does.
 */
export async function startFakeRealtime(): Promise<FakeRealtime> {
  const sessions: FakeRealtimeSession[] = [];
  const faults: string[] = [];
  const server = createServer((_request, response) => response.writeHead(426).end());
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: 16 * 1_048_576 });
  server.on("upgrade", (request, socket: Socket, head) => {
    const model = modelOf(request);
    if (model === null) return void refuse(socket, 404, "not found");
    if (keyOf(request) !== "good-key") return void refuse(socket, 401, `Incorrect API key provided: ${keyOf(request)}`);
    const refusal = Object.entries(refusals).find(([start]) => model.startsWith(start))?.[1];
    if (refusal) return void refuse(socket, ...refusal);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const session = new FakeRealtimeSession(opened, request, model, faults);
      sessions.push(session);
      begin(session, opened);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    faults,
    open: () => sockets.clients.size,
    async close() {
      for (const opened of sockets.clients) opened.terminate();
      await new Promise((done) => server.close(done));
    },
  };
}

function begin(session: FakeRealtimeSession, socket: WebSocket): void {
  const { model } = session;
  if (model.startsWith("rt-silent")) return;
  if (model.startsWith("rt-dies")) return void socket.terminate();
  if (model.startsWith("rt-error"))
    return void session.send({ type: "error", error: { type: "server_error", code: null, message: "no capacity" } });
  session.created();
}

/** Null = no path of the API. */
function modelOf({ url = "" }: IncomingMessage): string | null {
  const { pathname, searchParams } = new URL(url, "http://fake");
  if (pathname === "/v1/realtime" || pathname === "/openai/v1/realtime") return searchParams.get("model");
  const isAzure = pathname === "/openai/realtime" && searchParams.has("api-version");
  return isAzure ? searchParams.get("deployment") : null;
}

function keyOf({ headers }: IncomingMessage): string {
  const bearer = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
  return bearer ?? String(headers["api-key"] ?? "");
}

function refuse(socket: Socket, status: number, message: string): void {
  const body = JSON.stringify({ error: { message, type: "fake_error", code: null, param: null } });
  socket.end(`HTTP/1.1 ${status} Refused\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
