import type { IncomingMessage } from "node:http";

/** The client gets this long to read the answer before its connection is cut. */
const lingerMs = 1_000;

/**
 * For a request that is answered before its body is here: discards what still arrives and cuts the connection soon after.
 * Closing at once could reset it before the client has read the answer. Left alone it would stay open for good, because
 * nobody reads it any more and so nobody sees its end.
 */
export function endRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => socket.destroy(), lingerMs);
  // Not the request's own "close": Node emits it with the end of the answer, whatever is left of the body.
  request.once("end", () => clearTimeout(timer));
  socket.once("close", () => clearTimeout(timer));
}
