import { anthropicMessages } from "../anthropic-messages";
import { callEdits } from "../anthropic-messages/facts";
import type { UpstreamOnly } from "../dialect";
import { createStreamDecoder } from "./decode-stream";
import { encodeRequest } from "./encode-request";
import { limits } from "./limits";

/** Amazon Bedrock's InvokeModel and InvokeModelWithResponseStream with Claude: the body of Anthropic's Messages API. */
export const bedrockInvoke: UpstreamOnly = {
  id: "bedrock-invoke",
  limits,
  upstream: {
    path: (model, isStream) =>
      `/model/${encodeURIComponent(model)}/${isStream ? "invoke-with-response-stream" : "invoke"}`,
    framing: "aws-event-stream",
    readCompletionMax: anthropicMessages.upstream.readCompletionMax,
    capEdits: anthropicMessages.upstream.capEdits,
    callEdits,
    encode: encodeRequest,
    wholeBody: anthropicMessages.upstream.wholeBody,
    decode: anthropicMessages.upstream.decode,
    streamDecoder: createStreamDecoder,
    readUsage: anthropicMessages.upstream.readUsage,
  },
};
