import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { logger } from "@/lib/logger";
import type { RefusalLog } from "../../admission/refusals/refusal-log";
import { faultOf, logTrouble, RelayError, restarting } from "../../base/relay-error";
import type { Held, InHand } from "../../http/in-hand";
import { endExchange, openExchange, type Watching } from "../../http/open-exchange";
import { realtime } from "../../operations/realtime";
import { callOf, findEndpoint } from "../endpoints";
import { closeCodeOf, closeReason } from "./error-event";
import { refuseSession, type SessionShared, serveSession } from "./serve-session";

export type RealtimeSettings = Watching &
  Omit<SessionShared, "stopsAt" | "frameBytesMax" | "sessionsOfKeys"> & {
    inHand: InHand;
    refusals: RefusalLog;
    bodyBytesMax: number;
    /** Sessions in which nothing runs end so long before the others when the process stops. Default 15 s. */
    graceMs: number | undefined;
  };

export type Realtime = {
  /** True = the request is a session's, and its socket is taken over. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** No more sessions begin, and those that run end until then (of performance.now()). */
  stopAt(endsAt: number): void;
};

const FRAME_BYTES_MAX = 16 * 1_048_576;
const graceDefaultMs = 15_000;
/** How long a caller has to answer our close. */
const CLOSE_MS = 1_000;
/** The protocol of sessions. The key that a browser sends beside it is never sent back. */
const PROTOCOL = "realtime";

/** Sessions over WebSockets; README.md describes them. */
export function createRealtime(settings: RealtimeSettings): Realtime {
  let stopsAt = Number.POSITIVE_INFINITY;
  const { graceMs = graceDefaultMs } = settings;
  const frameBytesMax = Math.min(FRAME_BYTES_MAX, settings.bodyBytesMax);
  const shared: SessionShared = {
    ...settings,
    frameBytesMax,
    sessionsOfKeys: new Map(),
    stopsAt: (isRunning) => (isRunning ? stopsAt : stopsAt - graceMs),
  };
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: frameBytesMax,
    perMessageDeflate: false,
    closeTimeout: CLOSE_MS,
    handleProtocols: (offered: Set<string>) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  } as ConstructorParameters<typeof WebSocketServer>[0]);

  async function serve(request: IncomingMessage, client: WebSocket, socket: Duplex): Promise<void> {
    const endpoint = findEndpoint(request);
    const exchange = openExchange(settings, endpoint, request, detached(request, client));
    try {
      if (endpoint.kind !== "operation") throw new Error("a session has no endpoint");
      if (stopsAt < Number.POSITIVE_INFINITY) throw restarting();
      const call = callOf(exchange, endpoint, settings.snapshot.current().options);
      await serveSession(shared, exchange, call, client, socket);
    } catch (error) {
      exchange.hasBroken = !(error instanceof RelayError);
      if (exchange.hasBroken) logger.error({ err: error, request: exchange.id }, "a session failed");
      const shown = error instanceof RelayError ? error : faultOf(error);
      logTrouble(shown, exchange.id);
      exchange.failure = { status: shown.status, error: shown.wire };
      settings.refusals.note(exchange, shown);
      const { error: told } = exchange.told(shown);
      refuseSession(client, told, closeCodeOf(shown), closeReason(told.message));
    } finally {
      client.resume();
      endExchange(settings, exchange, endpoint);
    }
  }

  return {
    upgrade(request, socket, head) {
      const endpoint = findEndpoint(request);
      if (endpoint.kind !== "operation" || endpoint.operation !== realtime) return false;
      server.handleUpgrade(request, socket, head, (client) => {
        // Nothing is read from it until there is an upstream to send it to.
        client.pause();
        client.on("error", () => {});
        const held: Held = { place: -1, keepsConnection: () => {}, cutOff: () => {} };
        settings.inHand.enter(held);
        void serve(request, client, socket).finally(() => settings.inHand.leave(held));
      });
      return true;
    },
    stopAt(endsAt) {
      stopsAt = endsAt;
    },
  };
}

/** Stands for the answer of a request that became a WebSocket; it closes with that. */
function detached(request: IncomingMessage, client: WebSocket): ServerResponse {
  const response = new ServerResponse(request);
  client.on("close", () => response.emit("close"));
  return response;
}
