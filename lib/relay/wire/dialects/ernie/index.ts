import type { UpstreamOnly } from "../dialect";
import { decodeResponse, hasAnswer } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { capEdits, encodeRequest, readCompletionMax } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";
import { pathOf } from "./models";
import { readUsage } from "./usage";

/** Baidu's Wenxin Workshop chat, version 1. https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t */
export const ernie: UpstreamOnly = {
  id: "ernie",
  limits,
  upstream: {
    path: pathOf,
    readCompletionMax,
    capEdits,
    encode: encodeRequest,
    wholeBody: { hasAnswer, hasFailed: (json) => hasFailed(json, null) },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
  },
};
