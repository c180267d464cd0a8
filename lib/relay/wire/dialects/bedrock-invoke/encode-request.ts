import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { encodeRequest as encodeMessagesRequest } from "../anthropic-messages/encode-request";
import { refuseLimits } from "../common/limit";
import type { UpstreamTarget } from "../dialect";
import { limits } from "./limits";

const ANTHROPIC_VERSION = "bedrock-2023-05-31";

/** Canonical request → body of InvokeModel: the path says the model and whether to stream. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, target: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  const { model: _, stream: __, metadata: ___, ...body } = encodeMessagesRequest(request, target);
  return { anthropic_version: ANTHROPIC_VERSION, ...body };
}
