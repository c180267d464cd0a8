import { type Json, readObject } from "../../canonical/json";
import type { UpstreamOnly } from "../dialect";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { hasFailed } from "./error";
import { uploads } from "./files";
import { limits } from "./limits";
import { readUsage } from "./usage";

/** A whole body is an error, or says only that the chat has begun: answers are streams. */
const wholeBody = {
  hasAnswer: (_json: Json): boolean => false,
  hasFailed: (json: Json): boolean => hasFailed(json, null) || readObject(json.data).status === "failed",
};

function decodeResponse(): null {
  return null;
}

/** Chats with published bots of Coze, version 3. https://docs.coze.cn/developer_guides/chat_v3 */
export const coze: UpstreamOnly = {
  id: "coze",
  limits,
  upstream: {
    path: "/v3/chat",
    alwaysStreams: true,
    uploads,
    // The bot's own limit holds.
    readCompletionMax: () => null,
    capEdits: () => ({}),
    encode: encodeRequest,
    wholeBody,
    decode: decodeResponse,
    streamDecoder: createStreamDecoder,
    readUsage,
  },
};
