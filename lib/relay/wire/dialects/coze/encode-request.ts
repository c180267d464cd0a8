import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { refuseLimits } from "../common/limit";
import type { UpstreamTarget } from "../dialect";
import { encodeMessages } from "./encode-messages";
import { limits } from "./limits";

const NOBODY = "anonymous";

/** Canonical request → chat. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, { other = "" }: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  return {
    bot_id: other.trim(),
    user_id: request.user || NOBODY,
    additional_messages: encodeMessages(request),
    // Without a stream an answer would have to be asked for again and again.
    stream: true,
    auto_save_history: false,
  };
}
