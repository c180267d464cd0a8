import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { refuseLimits } from "../common/limit";
import { queryText } from "../common/query-text";
import type { UpstreamTarget } from "../dialect";
import { limits } from "./limits";

/** Canonical request → question. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest, { model, other = "" }: UpstreamTarget): Json {
  refuseLimits(limits.upstream, request);
  return { model, query: queryText(request), libraryId: other.trim(), stream: request.isStream };
}
