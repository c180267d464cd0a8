import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";
import type { Frame } from "../relay/wire/canonical/machine";
import { upstreamFormats } from "../relay/wire/dialects";
import { readChunksFixture, readJsonFixture } from "./dialect-fixtures";
import { encodeFrames } from "./encode-frames";
import { upstreamSchemas } from "./upstream-schemas";

/** A request that was received, and what its provider would not have accepted in it; "" = nothing. */
export type Received = { format: string; url: string; body: unknown; fault: string };

export type FixtureUpstream = {
  url: string;
  received: Received[];
  close: () => Promise<void>;
};

/** Changes the JSON of an answer, or of an event of a stream, on its way. `asked`: the request's address and body. */
export type ChangeAnswer = (json: unknown, asked: { format: string; text: string; isStream: boolean }) => unknown;

/** What a channel's base URL ends in: the wire format that is spoken, and the fixture that is answered with. */
const PLACE = /^\/f\/([a-z0-9-]+)\/([a-z0-9-]+)(?=\/|$)/;

/** Where Baidu issues access tokens. */
const TOKEN_PATH = "/oauth/2.0/token";

/**
 * Starts an upstream on loopback that speaks every wire format: under /f/<format>/<fixture> it answers with that
 * fixture, streamed or whole as it is asked, and refuses what is not a request of the format as its provider publishes it.
 */
export async function startFixtureUpstream(change: ChangeAnswer = (json) => json): Promise<FixtureUpstream> {
  const received: Received[] = [];
  const server = createServer((request, response) => void answer(request, response, received, change));
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (request, socket, head) =>
    sockets.handleUpgrade(request, socket, head, (opened) =>
      opened.on("message", (data) => answerMessage(request.url ?? "", String(data), opened, received, change)),
    ),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    async close() {
      for (const opened of sockets.clients) opened.terminate();
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  received: Received[],
  change: ChangeAnswer,
): Promise<void> {
  const { url = "" } = request;
  if (url === TOKEN_PATH) return void sendJson(response, 200, { access_token: "a-token", expires_in: 3_600 });
  const [, format = "", fixture = ""] = PLACE.exec(url) ?? [];
  if (url.endsWith(UPLOAD_PATH)) return void (await takeUpload(request, response));
  const body = await readJson(request);
  const fault = upstreamSchemas.get(format)?.safeParse(body).error?.message ?? "";
  received.push({ format, url, body, fault });
  if (fault !== "") return void sendJson(response, 400, { error: { message: fault, type: "invalid_request_error" } });
  const streams = isStream(format, request, body);
  const asked = { format, text: `${url} ${JSON.stringify(body)}`, isStream: streams };
  const changed = (json: unknown): unknown => change(json, asked);
  if (streams) sendStream(response, format, fixture, changed);
  else sendWhole(response, format, fixture, changed);
}

/** As upstreams do that are asked over a WebSocket: each frame is a message, and the client closes. */
function answerMessage(url: string, text: string, socket: WebSocket, received: Received[], change: ChangeAnswer): void {
  const [, format = "", fixture = ""] = PLACE.exec(url) ?? [];
  const body: unknown = JSON.parse(text);
  const fault = upstreamSchemas.get(format)?.safeParse(body).error?.message ?? "";
  received.push({ format, url, body, fault });
  if (fault !== "") {
    socket.close(1008);
    return;
  }
  const asked = { format, text: `${url} ${text}`, isStream: true };
  const changed = (json: unknown): unknown => change(json, asked);
  for (const frame of readChunksFixture(format, fixture)) socket.send(changeFrame(frame, changed).data);
  if (fixture === "cut") setTimeout(() => socket.terminate(), 20);
}

/** Where files are uploaded that a request names by their ids. */
const UPLOAD_PATH = "/v1/files/upload";

async function takeUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
  for await (const _ of request);
  const id = randomUUID();
  sendJson(response, 201, { id, code: 0, data: { id } });
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8"));
}

/** Each format says in its own way whether it wants a stream. */
function isStream(format: string, { url = "", headers }: IncomingMessage, body: unknown): boolean {
  const wanted = body as { stream?: unknown; Stream?: unknown; response_mode?: unknown };
  if (upstreamFormats.get(format)?.alwaysStreams) return true;
  return (
    wanted.stream === true ||
    wanted.Stream === true ||
    headers["x-dashscope-sse"] === "enable" ||
    wanted.response_mode === "streaming" ||
    /stream|sse-invoke/i.test(url.replace(PLACE, ""))
  );
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

type Changed = (json: unknown) => unknown;

function sendWhole(response: ServerResponse, format: string, fixture: string, changed: Changed): void {
  if (fixture !== "cut") {
    const json = changed(readJsonFixture(format, `${fixture}.answer`));
    return void sendJson(response, fixture === "error" ? 500 : 200, json);
  }
  const text = JSON.stringify(readJsonFixture(format, "text.answer"));
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.write(text.slice(0, text.length / 2));
  setTimeout(() => response.destroy(), 20);
}

/** What is no JSON, such as the end of a stream, stays as it is. */
function changeFrame(frame: Frame, changed: Changed): Frame {
  if (!frame.data.startsWith("{")) return frame;
  return { ...frame, data: JSON.stringify(changed(JSON.parse(frame.data))) };
}

function sendStream(response: ServerResponse, format: string, fixture: string, changed: Changed): void {
  const { framing = "sse" } = upstreamFormats.get(format) ?? {};
  const frames: Frame[] = readChunksFixture(format, fixture).map((frame) => changeFrame(frame, changed));
  const { contentType, bytes } = encodeFrames(framing, frames);
  response.writeHead(200, { "content-type": contentType });
  response.write(bytes);
  if (fixture === "cut") setTimeout(() => response.destroy(), 20);
  else response.end();
}
