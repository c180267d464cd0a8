import type { Exchange } from "../exchange";
import type { Delivery } from "./dispatch";

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
 * Sends the last bytes of the answer. An answer that is whole is an answer that is paid: the end goes out only once
 * its settlement is committed. A failure is told at once.
 */
export async function finish(exchange: Exchange, delivery: Delivery, settled: Promise<void>): Promise<void> {
  const { response } = exchange;
  if (delivery.outcome === "failed") {
    exchange.sendError(delivery.reply.status, delivery.reply.error);
    return await settled;
  }
  await settled;
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
