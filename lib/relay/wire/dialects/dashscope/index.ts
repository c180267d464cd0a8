import type { UpstreamOnly } from "../dialect";
import { choicesOf } from "./content";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { capEdits, encodeRequest, readCompletionMax } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";
import { pathOf } from "./models";
import { readUsage } from "./usage";

/** Alibaba's native generation API for text and for several media. https://help.aliyun.com/zh/model-studio/qwen-api-via-dashscope */
export const dashscope: UpstreamOnly = {
  id: "dashscope",
  limits,
  upstream: {
    path: pathOf,
    headers: (isStream) => (isStream ? ["x-dashscope-sse", "enable"] : []),
    readCompletionMax,
    capEdits,
    encode: encodeRequest,
    wholeBody: {
      hasAnswer: (json) => choicesOf(json).length > 0,
      hasFailed: (json) => hasFailed(json, null),
    },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
  },
};
