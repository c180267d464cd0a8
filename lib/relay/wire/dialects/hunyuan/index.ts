import type { UpstreamOnly } from "../dialect";
import { choicesOf, decodeResponse, readOwnUsage } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";

/** Tencent Hunyuan's ChatCompletions, version 2023-09-01. https://cloud.tencent.com/document/product/1729/105701 */
export const hunyuan: UpstreamOnly = {
  id: "hunyuan",
  limits,
  upstream: {
    path: "/",
    hasNoLimit: true,
    readCompletionMax: () => null,
    capEdits: () => ({}),
    encode: encodeRequest,
    wholeBody: {
      hasAnswer: (json) => choicesOf(json).length > 0,
      hasFailed: (json) => hasFailed(json, null),
    },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage: readOwnUsage,
  },
};
