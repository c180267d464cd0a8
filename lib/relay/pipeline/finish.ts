import { ArrayStream } from "../answers/array-stream";
import { wholeAsStream } from "../answers/whole-as-stream";
import { replyOf } from "../base/refusals/refusal-table";
import type { Delivery, Told } from "../http/delivery";
import type { Exchange } from "../http/exchange";

const CUT: Told = replyOf("stream_response_error", "the upstream closed the connection before the end of its answer");

const OPEN = Buffer.from("[");
const CLOSE = Buffer.from("]");

type Ending = { ending: Buffer; contentType: string };

/** Bytes of the answer that wait for its charge. */
export function endingBytes(delivery: Delivery): number {
  return "ending" in delivery ? delivery.ending.length : 0;
}

/** Sends the last bytes of a response. Call it only when the charge cannot be lost any more, so that no complete response is unpaid. */
export function sendEnd(exchange: Exchange, delivery: Exclude<Delivery, { outcome: "failed" }>): void {
  const { response } = exchange;
  exchange.capture?.ended(delivery);
  if (exchange.isGone || delivery.outcome === "gone") return;
  if (delivery.outcome === "cut") {
    // Bytes that are no events have no words for an error: only a broken connection tells that they are not whole.
    if (exchange.stream?.isEvents === false) response.destroy();
    else sendCut(exchange, delivery.told);
    return;
  }
  const { ending, contentType } = asCallerWants(exchange, delivery);
  if (exchange.stream && delivery.firstTokenMs === null && response.headersSent) {
    response.end(afterWait(exchange, ending, contentType));
    return;
  }
  if (!response.headersSent) {
    response.writeHead(200, { "content-length": ending.length, ...exchange.head(contentType) });
  }
  response.end(ending);
}

/** `told`: the error that the upstream reported; absent = it only broke off. */
export function sendCut(exchange: Exchange, told: Told = CUT): void {
  exchange.sendCut(told.error, told.status);
}

/** A caller who asked for an array gets its end, or a whole answer as its only item. */
function asCallerWants({ arrayStream }: Exchange, { ending, contentType }: Ending): Ending {
  if (!arrayStream) return { ending, contentType };
  const isEnd = contentType.includes("text/event-stream");
  return {
    ending: isEnd ? arrayStream.end(ending) : Buffer.concat([OPEN, ending, CLOSE]),
    contentType: ArrayStream.contentType,
  };
}

/** The caller was told to wait, so even a whole answer goes out as a stream. */
function afterWait(exchange: Exchange, ending: Buffer, contentType: string): Buffer {
  const { clientDialect, id, arrayStream } = exchange;
  if (arrayStream || contentType.includes("text/event-stream")) return ending;
  return wholeAsStream(ending, clientDialect, id) ?? exchange.cutBytes(CUT.error, CUT.status);
}
