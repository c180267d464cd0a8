import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { refuseLimits } from "../common/limit";
import { queryText } from "../common/query-text";
import type { UpstreamOnly, UpstreamTarget } from "../dialect";
import { decodeResponse, hasAnswer, readOwnUsage } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { hasFailed } from "./error";
import { limits } from "./limits";

/** Canonical request → question. Throws InvalidRequest. */
function encodeRequest(request: ChatRequest, { model, other = "" }: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  return { model, query: queryText(request), libraryId: other.trim(), stream: request.isStream };
}

/** Questions to a knowledge base of AI Proxy. https://docs.aiproxy.io/dev/library */
export const aiProxyLibrary: UpstreamOnly = {
  id: "ai-proxy-library",
  limits,
  upstream: {
    path: "/api/library/ask",
    // The library's own limit holds.
    readCompletionMax: () => null,
    capEdits: () => ({}),
    encode: encodeRequest,
    wholeBody: { hasAnswer, hasFailed: (json) => hasFailed(json, null) },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage: readOwnUsage,
  },
};
