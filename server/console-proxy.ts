import type { IncomingMessage, ServerResponse } from "node:http";
import { type Dispatcher, Pool } from "undici";
import type { ClientAddress } from "@/lib/relay/client-address";

const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  // Next.js would treat this as its own internal header and skip its proxy.ts.
  "x-middleware-subrequest",
]);
/** Always set by the gateway: otherwise clients could choose their own address. */
const FORWARDED = new Set(["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]);

const UNAVAILABLE = Buffer.from(
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="2"><title>Weir</title>
<p style="font:16px system-ui;margin:20vh auto;width:20rem">The console is starting. This page reloads by itself.</p></html>
`,
);

/** Streams all requests outside the relay to the console on its loopback port, and the responses back. */
export function createConsoleProxy(port: number | undefined, clientAddress: ClientAddress, trustsProxy: boolean) {
  const pool = port === undefined ? null : new Pool(`http://127.0.0.1:${port}`, { connections: 256, pipelining: 1 });

  function forward(request: IncomingMessage, response: ServerResponse): void {
    if (!pool) {
      sendUnavailable(response);
      return;
    }
    const body = request.method === "GET" || request.method === "HEAD" ? null : request;
    request.on("error", () => {});
    response.on("error", () => {});
    try {
      pool.dispatch(
        {
          path: request.url ?? "/",
          method: request.method as Dispatcher.HttpMethod,
          headers: forwardedHeaders(request, clientAddress(request), trustsProxy),
          body,
          bodyTimeout: 0,
        },
        answerTo(response),
      );
    } catch {
      sendUnavailable(response);
    }
  }
  return Object.assign(forward, { close: async () => await pool?.destroy() });
}

function forwardedHeaders(request: IncomingMessage, clientIp: string, trustsProxy: boolean): string[] {
  const named = new Set((request.headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase()));
  const headers: string[] = [];
  const raw = request.rawHeaders;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? "").toLowerCase();
    const isDropped = HOP_BY_HOP.has(name) || FORWARDED.has(name) || named.has(name) || name === "expect";
    if (!isDropped) headers.push(name, raw[i + 1] ?? "");
  }
  const given = (name: string): string => (trustsProxy ? String(request.headers[name] ?? "") : "");
  headers.push("x-forwarded-for", clientIp);
  headers.push("x-forwarded-host", given("x-forwarded-host") || (request.headers.host ?? ""));
  headers.push("x-forwarded-proto", given("x-forwarded-proto") === "https" ? "https" : "http");
  return headers;
}

function answerTo(response: ServerResponse): Dispatcher.DispatchHandler {
  return {
    onRequestStart(controller) {
      response.on("close", () => {
        if (!response.writableEnded) controller.abort(new Error("the caller is gone"));
      });
    },
    onResponseStart(_controller, status, headers) {
      if (status < 200 || response.headersSent) return;
      response.writeHead(status, Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name))));
      response.flushHeaders();
    },
    onResponseData(controller, chunk) {
      if (response.write(chunk)) return;
      controller.pause();
      response.once("drain", () => controller.resume());
    },
    onResponseEnd: () => void response.end(),
    onResponseError() {
      if (response.headersSent) response.destroy();
      else sendUnavailable(response);
    },
  };
}

function sendUnavailable(response: ServerResponse): void {
  if (response.destroyed || response.headersSent) return;
  response.writeHead(503, {
    "content-type": "text/html; charset=utf-8",
    "content-length": UNAVAILABLE.length,
    "retry-after": "2",
    connection: "close",
  });
  response.end(UNAVAILABLE);
}
