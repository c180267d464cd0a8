import type { UpstreamOnly } from "../dialect";
import { decodeResponse, wholeBody } from "./decode-response";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { uploads } from "./files";
import { limits } from "./limits";
import { readUsage } from "./usage";

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
