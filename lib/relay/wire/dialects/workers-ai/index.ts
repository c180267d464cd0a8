import { type Json, readArray, readObject } from "../../canonical/json";
import { readCount } from "../../canonical/usage";
import { isFilled } from "../common/reported-error";
import type { UpstreamOnly } from "../dialect";
import { readUsage } from "../openai-chat/usage";
import { createStreamDecoder, decodeResponse } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailed } from "./error";
import { limits } from "./limits";

/** What the upstream's name of a model begins with where its own format is meant. */
export const RUN = "run/";

const readCompletionMax = ({ max_tokens: given }: Json): number | null => readCount(given);

/** Cloudflare's Workers AI, POST /ai/run/{model}. */
export const workersAi: UpstreamOnly = {
  id: "workers-ai",
  limits,
  upstream: {
    path: (model) => `/${RUN}${model.startsWith(RUN) ? model.slice(RUN.length) : model}`,
    readCompletionMax,
    capEdits: (json, tokens) => ({ max_tokens: Math.min(tokens, readCompletionMax(json) ?? tokens) }),
    encode: encodeRequest,
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
    wholeBody: {
      hasAnswer: ({ result }) => {
        const { response, choices, tool_calls: calls } = readObject(result);
        if (typeof response === "string" && response !== "") return true;
        return isFilled(response) || readArray(calls).length > 0 || readArray(choices).some((one) => isFilled(one));
      },
      hasFailed: (json) => hasFailed(json, null),
    },
  },
};
