import type { UpstreamOnly } from "../dialect";
import { decodeResponse, hasAnswer, readOwnUsage } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailed } from "./error";
import { uploads } from "./files";
import { limits } from "./limits";

/** Dify's chat messages, for chatbots, agents and chatflows. https://docs.dify.ai/api-reference/chat/send-chat-message */
export const dify: UpstreamOnly = {
  id: "dify",
  limits,
  upstream: {
    path: "/v1/chat-messages",
    alwaysStreams: true,
    uploads,
    // The application's own limit holds.
    readCompletionMax: () => null,
    capEdits: () => ({}),
    encode: encodeRequest,
    wholeBody: { hasAnswer, hasFailed: (json) => hasFailed(json, null) },
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage: readOwnUsage,
  },
};
