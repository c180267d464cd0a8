import { type Json, readObject } from "../../canonical/json";
import { readCount } from "../../canonical/usage";
import type { UpstreamOnly } from "../dialect";
import { createStreamDecoder, decodeResponse, hasFailed, readOwnUsage } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { limits } from "./limits";

const readCompletionMax = ({ options }: Json): number | null => readCount(readObject(options).num_predict);

/** Ollama's own API, POST /api/chat. */
export const ollama: UpstreamOnly = {
  id: "ollama",
  limits,
  upstream: {
    path: "/api/chat",
    framing: "ndjson",
    readCompletionMax,
    capEdits: (json, tokens) => {
      const limit = Math.min(tokens, readCompletionMax(json) ?? tokens);
      return { options: { ...readObject(json.options), num_predict: limit } };
    },
    encode: encodeRequest,
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage: readOwnUsage,
    wholeBody: {
      hasAnswer: ({ message }) => typeof message === "object" && message !== null,
      hasFailed: (json) => hasFailed(json, null),
    },
  },
};
