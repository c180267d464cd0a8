import { type Json, readArray, readObject } from "../../canonical/json";
import { readCount } from "../../canonical/usage";
import type { UpstreamOnly } from "../dialect";
import { decodeResponse } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";
import { withBudgetBelow } from "./thinking";
import { readUsage } from "./usage";

const readCompletionMax = ({ max_tokens: given }: Json): number | null => readCount(given);

/** Cohere's Chat API, version 2. */
export const cohere: UpstreamOnly = {
  id: "cohere",
  limits,
  upstream: {
    path: "/v2/chat",
    readCompletionMax,
    capEdits: (json, tokens) => {
      const max = Math.min(tokens, readCompletionMax(json) ?? tokens);
      return { max_tokens: max, ...withBudgetBelow(json, max) };
    },
    encode: encodeRequest,
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
    wholeBody: {
      hasAnswer: ({ message }) => {
        const { content, tool_calls: calls } = readObject(message);
        return content !== undefined || readArray(calls).length > 0;
      },
      hasFailed: (json) => hasFailed(json, null),
    },
  },
};
