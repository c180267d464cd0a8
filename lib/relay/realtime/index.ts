import { type IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";
import { logger } from "@/lib/logger";
import type { ClientAddress } from "../client-address";
import { callOf, findEndpoint } from "../endpoints";
import { Exchange } from "../exchange";
import type { InHand } from "../in-hand";
import { realtime } from "../operations/realtime";
import type { RefusalLog } from "../refusals/refusal-log";
import { databaseAway, internalError, RelayError } from "../relay-error";
import { closeCodeOf, closeReason } from "./error-event";
import { refuseSession, type SessionShared, serveSession } from "./serve-session";

export type RealtimeSettings = Omit<SessionShared, "stopsAt" | "frameBytesMax"> & {
  clientAddress: ClientAddress;
  inHand: InHand;
  refusals: RefusalLog;
  bodyBytesMax: number;
  /** How long a session may go on with what runs in it when the process stops. Default 15 s. */
  graceMs: number | undefined;
};

export type Realtime = {
  /** True = the request is a session's, and its socket is taken over. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** No more sessions begin, and those that run end with what runs in them. */
  stop(): void;
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
  const frameBytesMax = Math.min(FRAME_BYTES_MAX, settings.bodyBytesMax);
  const shared: SessionShared = { ...settings, frameBytesMax, stopsAt: () => stopsAt };
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: frameBytesMax,
    perMessageDeflate: false,
    closeTimeout: CLOSE_MS,
    handleProtocols: (offered: Set<string>) => (offered.has(PROTOCOL) ? PROTOCOL : false),
  } as ConstructorParameters<typeof WebSocketServer>[0]);

  async function serve(request: IncomingMessage, client: WebSocket): Promise<void> {
    const endpoint = findEndpoint(request);
    const { caller } = endpoint;
    const exchange = new Exchange(request, detached(request, client), settings.clientAddress(request), caller);
    try {
      if (endpoint.kind !== "operation") throw new Error("a session has no endpoint");
      if (stopsAt < Number.POSITIVE_INFINITY) throw databaseAway();
      const call = callOf(exchange, endpoint, settings.snapshot.current().options);
      await serveSession(shared, exchange, call, client);
    } catch (error) {
      if (!(error instanceof RelayError)) logger.error({ err: error, request: exchange.id }, "a session failed");
      const shown = error instanceof RelayError ? error : internalError();
      settings.refusals.note(exchange, shown);
      refuseSession(client, shown, closeCodeOf(shown.status), closeReason(shown.message));
    } finally {
      client.resume();
      settings.inHand.leave();
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
        settings.inHand.enter();
        void serve(request, client);
      });
      return true;
    },
    stop() {
      stopsAt = performance.now() + (settings.graceMs ?? graceDefaultMs);
    },
  };
}

/** Stands for the answer of a request that became a WebSocket; it closes with that. */
function detached(request: IncomingMessage, client: WebSocket): ServerResponse {
  const response = new ServerResponse(request);
  client.on("close", () => response.emit("close"));
  return response;
}
