import type { IncomingMessage, ServerResponse } from "node:http";
import { NO_PAGE } from "@/lib/relay/http/browsers";

type Serve = (request: IncomingMessage, response: ServerResponse) => unknown;
type Listen = (request: IncomingMessage, response: ServerResponse) => void;

const SERVED = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * Answers 405 to methods that nothing here serves, e.g. TRACE, which would send a caller's cookies back to a page that must
 * not read them, and which the console's request objects cannot hold.
 */
export function onlyServedMethods(serve: Serve): Listen {
  return (request, response) => {
    if (SERVED.includes(request.method ?? "")) {
      serve(request, response);
      return;
    }
    const error = { message: `the method ${request.method} is not supported`, type: "invalid_request_error" };
    response.writeHead(405, {
      allow: SERVED.join(", "),
      "content-type": "application/json",
      ...NO_PAGE,
      connection: "close",
    });
    response.end(JSON.stringify({ success: false, message: error.message, error }));
    request.resume();
  };
}
