import type { IncomingMessage, ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { type Dispatcher, Pool } from "undici";
import { addressKey } from "@/lib/rate-window";
import type { ClientAddress } from "@/lib/relay";
import { ConsoleRefusal, refuseRequest } from "./console-refusal";
import { endRest } from "./end-rest";
import { forwardedHeaders, HOP_BY_HOP } from "./forwarded-headers";
import { type BodyLimits, declaredBytes, openBody } from "./metered-body";
import { createSlots, type SlotLimits, type Slots } from "./slots";

export type ConsoleLimits = {
  /** Places at the console, and requests waiting for one. As many more answers may wait for clients to read them. */
  connections: Pick<SlotLimits, "total" | "queued" | "queueMs">;
  /** Bodies that are too large to be held before the request is passed on. */
  uploads: SlotLimits;
  /** Requests of one client address (IPv6: /64) at the same time, whatever they wait for: less than a fifth of the places. */
  perClient: number;
  body: BodyLimits;
  /** How long a client may leave an answer unread. */
  stallMs: number;
};

/** The largest body of the console is an option of a million characters; Next.js itself cuts bodies at 10 MB. */
export const CONSOLE_LIMITS: ConsoleLimits = {
  connections: { total: 512, queued: 512, queueMs: 10_000 },
  uploads: { total: 64, perClient: 8, queued: 64, queueMs: 10_000 },
  perClient: 96,
  body: { bytesMax: 5 * 1_024 * 1_024, idleMs: 10_000, wholeMs: 120_000 },
  stallMs: 30_000,
};

const UNAVAILABLE = Buffer.from(
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Weir</title>
<p style="font:16px system-ui;margin:20vh auto;width:20rem">The console is starting. This page reloads by itself.</p></html>
`,
);

/**
 * Passes all requests outside the relay on to the console on its loopback port, and the answers back. A request takes a
 * connection only when the first part of its body is here, and a client that is slow, greedy or gone loses its place:
 * nobody who merely waits can keep others out.
 */
export function createConsoleProxy(
  port: number | undefined,
  clientAddress: ClientAddress,
  limits: ConsoleLimits = CONSOLE_LIMITS,
  isSecure: (request: IncomingMessage) => boolean = () => false,
) {
  const { connections, perClient } = limits;
  const open = () => new Pool(`http://127.0.0.1:${port}`, { connections: 2 * connections.total, pipelining: 1 });
  let pool = port === undefined ? null : open();
  const streams = createEventStreams();
  const unlimited = Number.MAX_SAFE_INTEGER;
  const present = createSlots({ total: unlimited, perClient, queued: 0, queueMs: 0 });
  const uploads = createSlots(limits.uploads);
  const upstream = createSlots({ ...connections, perClient: unlimited });
  const unread = createUnread(connections.total);

  async function pass(request: IncomingMessage, response: ServerResponse, held: Held): Promise<void> {
    const client = addressKey(clientAddress(request));
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    if (declaredBytes(request) > limits.body.bytesMax) throw new ConsoleRefusal(413);
    await take(present, client, gone.signal, held);
    const body = hasBody(request) ? await openBody(request, limits.body) : null;
    if (body !== null && !Buffer.isBuffer(body)) await take(uploads, client, gone.signal, held);
    const place = await take(upstream, client, gone.signal, held);
    const headers = forwardedHeaders(request, clientAddress);
    const whenUnread = (): void => {
      place();
      unread.add(response);
    };
    const added = isSecure(request) ? SECURE_HEADERS : HEADERS;
    const { stallMs } = limits;
    if (pool) await exchange(pool, { request, response, headers, body, stallMs, streams, whenUnread, added });
  }

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!pool) return sendUnavailable(response);
    request.on("error", () => {});
    response.on("error", () => {});
    const held: Held = [];
    try {
      await pass(request, response, held);
    } catch (error) {
      if (error instanceof ConsoleRefusal) refuseRequest(request, response, error.status);
      else if (response.headersSent) response.destroy();
      else sendUnavailable(response);
    } finally {
      for (const release of held) release();
      if (response.writableFinished) endRest(request);
      else response.once("finish", () => endRest(request));
    }
  }
  /** Another console listens at the port: the connections to the one before are used up and closed. */
  function renew(): void {
    const before = pool;
    if (!before) return;
    pool = open();
    streams.endAll();
    before.close().catch(() => {});
  }
  return Object.assign(forward, { renew, streams, close: async () => await pool?.destroy() });
}

/** What a request gives back when it ends. */
type Held = (() => void)[];

async function take(slots: Slots, client: string, signal: AbortSignal, held: Held): Promise<() => void> {
  const slot = await slots.acquire(client, signal);
  if (typeof slot !== "function") throw new ConsoleRefusal(slot === "client" ? 429 : 503);
  held.push(slot);
  return slot;
}

/** Answers that their clients are slow to read. They hold no place; beyond `max` the one that is waited for longest is cut. */
function createUnread(max: number) {
  const answers = new Set<ServerResponse>();
  return {
    add(response: ServerResponse): void {
      answers.add(response);
      response.once("close", () => answers.delete(response));
      const [longest] = answers;
      if (answers.size > max) longest?.destroy();
    },
  };
}

/** What every answer of the console has. */
const HEADERS = { "x-content-type-options": "nosniff" };
const SECURE_HEADERS = { ...HEADERS, "strict-transport-security": "max-age=31536000" };

/** The console's headers for the client. No browser may keep a redirect for good that nothing has said to be lasting. */
function headersOf(status: number, given: Record<string, string | string[] | undefined>, added: typeof HEADERS) {
  const headers: Record<string, string | string[] | undefined> = { ...added };
  for (const [name, value] of Object.entries(given)) if (!HOP_BY_HOP.has(name)) headers[name] = value;
  if (status === 301 || status === 308) headers["cache-control"] ??= "no-store";
  return headers;
}

function hasBody({ method, headers }: IncomingMessage): boolean {
  if (method === "GET" || method === "HEAD") return false;
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  headers: string[];
  body: Buffer | Readable | null;
  stallMs: number;
  streams: EventStreams;
  /** Called when the client is slower than the console. */
  whenUnread: () => void;
  added: typeof HEADERS;
};

/** One request to the console. Resolves when its connection is free again; rejects when there is no answer to send. */
function exchange(pool: Pool, asked: Exchange): Promise<void> {
  const { request, headers, body } = asked;
  return new Promise((done, fail) => {
    const { url: path = "/", method } = request;
    pool.dispatch(
      { path, method: method as Dispatcher.HttpMethod, headers, body, bodyTimeout: 0 },
      answerTo(asked, (error) => (error ? fail(error) : done())),
    );
  });
}

function answerTo(
  { request, response, stallMs, streams, whenUnread, added }: Exchange,
  settle: (error: Error | null) => void,
): Dispatcher.DispatchHandler {
  let stall: NodeJS.Timeout | undefined;
  let isUnread = false;
  response.once("close", () => clearTimeout(stall));
  function expectReader(): void {
    clearTimeout(stall);
    stall = setTimeout(() => response.destroy(), stallMs);
  }
  return {
    onRequestStart(controller) {
      const abort = () => {
        if (!response.writableEnded) controller.abort(new Error("the caller is gone"));
      };
      if (response.destroyed) abort();
      response.on("close", abort);
    },
    onResponseStart(controller, status, headers) {
      if (status < 200 || response.headersSent) return;
      response.writeHead(status, headersOf(status, headers, added));
      response.flushHeaders();
      if (request.method === "GET" && String(headers["content-type"]).startsWith("text/event-stream")) {
        streams.add(response, () => controller.abort(new Error("the page asks again")));
      }
    },
    onResponseData(controller, chunk) {
      if (response.writableEnded || response.write(chunk)) return;
      controller.pause();
      expectReader();
      if (!isUnread) whenUnread();
      isUnread = true;
      response.once("drain", () => {
        clearTimeout(stall);
        controller.resume();
      });
    },
    onResponseEnd() {
      expectReader();
      response.end(() => clearTimeout(stall));
      settle(null);
    },
    onResponseError: (_controller, error) => settle(error),
  };
}

function sendUnavailable(response: ServerResponse): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(503, {
    "content-type": "text/html; charset=utf-8",
    "content-length": UNAVAILABLE.length,
    "retry-after": "2",
    ...HEADERS,
    connection: "close",
  });
  response.end(UNAVAILABLE);
}

/** The event streams of pages, which have no end of their own. */
type EventStreams = {
  /** `onEnded` is called when the last byte is on its way. */
  add(response: ServerResponse, onEnded: () => void): void;
  /** Pages ask again by themselves, from who is there then. */
  endAll(): void;
  /** Also those that come from now on. */
  endForGood(): void;
};

function createEventStreams(): EventStreams {
  const open = new Map<ServerResponse, () => void>();
  let isOver = false;
  function endAll(): void {
    for (const [response, onEnded] of open) response.end(onEnded);
  }
  return {
    add(response, onEnded) {
      if (isOver) return void response.end(onEnded);
      open.set(response, onEnded);
      response.once("close", () => open.delete(response));
    },
    endAll,
    endForGood() {
      isOver = true;
      endAll();
    },
  };
}
