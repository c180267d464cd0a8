import type { UpstreamOnly } from "../dialect";
import { decodeResponse, hasAnswer } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";
import { readUsage } from "./usage";

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
    readUsage,
  },
};
