import { usageWithPrompt } from "../../canonical/usage";
import type { UpstreamOnly } from "../dialect";
import { createStreamDecoder } from "./decode-stream";
import { capEdits, encodeRequest, readCompletionMax } from "./encode-request";
import { readProviderError } from "./error";
import { limits } from "./limits";

/** iFlytek Spark's API over WebSocket, where every message is one JSON object: https://www.xfyun.cn/doc/spark/Web.html */
export const spark: UpstreamOnly = {
  id: "spark",
  limits,
  upstream: {
    path: "",
    framing: "ndjson",
    alwaysStreams: true,
    readCompletionMax,
    capEdits,
    encode: encodeRequest,
    wholeBody: { hasAnswer: () => false, hasFailed: (json) => readProviderError(json) !== null },
    // There is nothing but streams.
    decode: () => null,
    streamDecoder: createStreamDecoder,
    readUsage: usageWithPrompt,
  },
};
