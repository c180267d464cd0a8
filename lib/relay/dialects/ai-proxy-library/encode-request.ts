import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import type { UpstreamTarget } from "../dialect";
import { refuseLimits } from "../limit";
import { queryText } from "../query-text";
import { limits } from "./limits";

/** Canonical request → question. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, { model, other = "" }: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  return { model, query: queryText(request), libraryId: other.trim(), stream: request.isStream };
}
