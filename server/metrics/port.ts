import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readiness } from "../readiness";
import { Collector, type Slot, type SlotState } from "./collector";

type Settings = {
  port: number;
  host: string;
  /** Undefined = /metrics is open to whoever reaches the port. */
  token?: string | undefined;
  slots: () => readonly Slot[];
  /** Whether the supervisor has started everything, or is stopping. */
  readiness: Pick<Readiness, "probe">;
  waitMs?: number;
};

export type MetricsPort = { port: number; close: () => Promise<void> };

const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";
const HEADERS_MS = 10_000;

/** Serves /metrics, /healthz and /readyz for all processes of this machine. */
export async function openMetricsPort(settings: Settings): Promise<MetricsPort> {
  const collector = new Collector(settings);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: HEADERS_MS }, (request, response) => {
    answer(settings, collector, request, response).catch((error: unknown) => {
      send(response, 500, `${error instanceof Error ? error.message : String(error)}\n`);
    });
  });
  await new Promise<void>((done, fail) => {
    server.once("error", fail);
    server.listen(settings.port, settings.host, done);
  });
  // It must not keep the supervisor running.
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  { token, readiness }: Settings,
  collector: Collector,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = (request.url ?? "/").split("?", 1)[0];
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    response.setHeader("connection", "close");
    return send(response, 405, "method not allowed\n");
  }
  if (path === "/healthz") return send(response, 200, "ok\n");
  if (path === "/readyz") return sendReadiness(response, readiness.probe(), await collector.states());
  if (path !== "/metrics") return send(response, 404, "there are /metrics, /healthz and /readyz\n");
  if (token !== undefined && !isBearer(request, token)) {
    response.setHeader("www-authenticate", "Bearer");
    return send(response, 401, "/metrics needs the value of WEIR_METRICS_TOKEN as a bearer token\n");
  }
  send(response, 200, await collector.read(), CONTENT_TYPE);
}

/** A role is ready while one of its processes is: the others' connections go there. */
function sendReadiness(response: ServerResponse, own: string | null, states: readonly SlotState[]): void {
  const roles = [...new Set(states.map(({ role }) => role))];
  const unready = roles.map((role) => {
    const reasons = states.filter((state) => state.role === role).map(({ reason }) => reason);
    return reasons.includes(null) ? null : (reasons[0] ?? null);
  });
  const reason = own ?? unready.find((one) => one !== null) ?? null;
  const processes = Object.fromEntries(states.map((state) => [state.name, state.reason ?? "ready"]));
  const text = `${JSON.stringify({ status: reason ?? "ready", processes })}\n`;
  send(response, reason === null ? 200 : 503, text, "application/json; charset=utf-8");
}

function isBearer({ headers }: IncomingMessage, token: string): boolean {
  const given = /^Bearer (.+)$/i.exec(headers.authorization ?? "")?.[1] ?? "";
  const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

function send(response: ServerResponse, status: number, text: string, type = "text/plain; charset=utf-8"): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, {
    "content-type": type,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
  });
  response.end(text);
}
