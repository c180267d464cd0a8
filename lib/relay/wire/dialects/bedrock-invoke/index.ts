import type { ChatEvent } from "../../canonical/event";
import type { Json } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { ChatRequest } from "../../canonical/request";
import { anthropicMessages } from "../anthropic-messages";
import { createStreamDecoder as createMessagesDecoder } from "../anthropic-messages/decode-stream";
import { encodeRequest as encodeMessagesRequest } from "../anthropic-messages/encode-request";
import { callEdits } from "../anthropic-messages/facts";
import { readUsage as readOwnUsage } from "../anthropic-messages/usage";
import { refuseLimits } from "../common/limit";
import type { ReadUsage, UpstreamOnly, UpstreamTarget } from "../dialect";
import { limits } from "./limits";

const ANTHROPIC_VERSION = "bedrock-2023-05-31";

/** Canonical request → body of InvokeModel: the path says the model and whether to stream. Throws InvalidRequest. */
function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { model: _, stream: __, metadata: ___, ...body } = encodeMessagesRequest(request, target);
  return { anthropic_version: ANTHROPIC_VERSION, ...body };
}

/** The parts of the stream are Anthropic's events, and its exceptions look like Anthropic's errors. */
function createStreamDecoder(readUsage: ReadUsage = readOwnUsage): Machine<Frame, ChatEvent> {
  return createMessagesDecoder(readUsage);
}

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
