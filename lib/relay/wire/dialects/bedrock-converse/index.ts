import { type Json, readArray, readObject } from "../../canonical/json";
import { readLimit, TOKENS_MAX } from "../common/request-fields";
import type { UpstreamOnly } from "../dialect";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";
import { readUsage } from "./usage";

/** Amazon Bedrock's Converse and ConverseStream (bedrock-runtime 2023-09-30). */
export const bedrockConverse: UpstreamOnly = {
  id: "bedrock-converse",
  limits,
  upstream: {
    path: (model, isStream) => `/model/${encodeURIComponent(model)}/${isStream ? "converse-stream" : "converse"}`,
    framing: "aws-event-stream",
    readCompletionMax: ({ inferenceConfig }) => readLimit(readObject(inferenceConfig), "maxTokens", 1, TOKENS_MAX),
    capEdits: ({ inferenceConfig }, tokens) => ({
      inferenceConfig: { ...readObject(inferenceConfig), maxTokens: tokens },
    }),
    encode: encodeRequest,
    wholeBody: { hasAnswer, hasFailed: (json) => hasFailed(json, null) },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
  },
};

function hasAnswer({ output }: Json): boolean {
  return readArray(readObject(readObject(output).message).content).length > 0;
}
