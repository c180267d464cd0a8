import { renderEvents } from "../answers/server-sent-events";
import { wholeAsStream } from "../answers/whole-as-stream";
import type { WireError } from "../canonical/wire-error";
import type { Exchange } from "../exchange";
import type { Delivery } from "./dispatch";

const CUT: WireError = {
  message: "the upstream broke off before the end of its answer",
  type: "upstream_error",
  param: null,
  code: "stream_response_error",
};

const BLANK = Buffer.from("\n");

/** Sends the last bytes of a response. Call it only when the settlement is committed, so that no complete response is unpaid. */
export function sendEnd(exchange: Exchange, delivery: Exclude<Delivery, { outcome: "failed" }>): void {
  const { response, caller } = exchange;
  if (exchange.isGone || delivery.outcome === "gone") return;
  // The blank line ends an event that was cut after its data.
  if (delivery.outcome === "cut")
    return void response.end(Buffer.concat([BLANK, renderEvents(caller.renderCut(CUT, exchange.id))]));
  const { ending, contentType } = delivery;
  if (exchange.stream && delivery.firstTokenMs === null && response.headersSent) {
    response.end(afterWait(exchange, ending, contentType));
    return;
  }
  if (!response.headersSent) {
    response.writeHead(200, {
      "content-type": contentType,
      "content-length": ending.length,
      "x-oneapi-request-id": exchange.id,
    });
  }
  response.end(ending);
}

/** The caller was told to wait, so even a whole answer goes out as a stream. */
function afterWait({ caller, id }: Exchange, ending: Buffer, contentType: string): Buffer {
  if (contentType.includes("text/event-stream")) return ending;
  return wholeAsStream(ending, caller, id) ?? renderEvents(caller.renderCut(CUT, id));
}
