import { readArray, readObject } from "../../canonical/json";
import { usageWithPrompt } from "../../canonical/usage";
import { reportsError } from "../common/reported-error";
import type { UpstreamOnly } from "../dialect";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { readProviderError } from "./error";
import { limits } from "./limits";

/** Zhipu's model API v3 (invoke and sse-invoke), for the ChatGLM models before v4: https://open.bigmodel.cn/doc/api */
export const zhipuV3: UpstreamOnly = {
  id: "zhipu-v3",
  limits,
  upstream: {
    path: "",
    framing: "sse-fields",
    hasNoLimit: true,
    readCompletionMax: () => null,
    capEdits: () => ({}),
    encode: encodeRequest,
    wholeBody: {
      hasAnswer: (json) => readArray(readObject(json.data).choices).length > 0,
      hasFailed: (json) =>
        json.success === false ||
        readProviderError(json) !== null ||
        reportsError(json, null, readArray(readObject(json.data).choices).length > 0),
    },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage: usageWithPrompt,
  },
};
