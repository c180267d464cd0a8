import type { Exchange } from "../exchange";
import type { Answered } from "./dispatch";

const CUT_FRAME = Buffer.from(
  `data: ${JSON.stringify({
    error: {
      message: "the upstream broke off its answer",
      type: "upstream_error",
      param: null,
      code: "stream_response_error",
    },
  })}\n\n`,
);

/**
 * Sends the last bytes of an answer. An answer that is whole is an answer that is paid: to be called only once its
 * settlement is committed.
 */
export function sendEnd(exchange: Exchange, delivery: Answered): void {
  const { response } = exchange;
  if (exchange.isGone) return;
  if (delivery.outcome === "streamed") response.end(delivery.scanner.terminal);
  if (delivery.outcome === "cut") response.end(CUT_FRAME);
  if (delivery.outcome === "whole") {
    response.writeHead(200, {
      "content-type": delivery.contentType,
      "content-length": delivery.body.length,
      "x-oneapi-request-id": exchange.id,
    });
    response.end(delivery.body);
  }
}
