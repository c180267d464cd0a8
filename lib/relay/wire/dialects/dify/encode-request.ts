import type { Json } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { defined } from "../common/defined";
import { refuseLimits } from "../common/limit";
import { queryText } from "../common/query-text";
import { encodeFiles } from "./files";
import { limits } from "./limits";

const NOBODY = "anonymous";

/** Canonical request → chat message. Throws InvalidRequest. */
export function encodeRequest(request: ChatRequest): Json {
  refuseLimits(limits.upstream, request);
  const files = encodeFiles(request);
  return defined({
    inputs: {},
    query: queryText(request),
    // Agents refuse to answer in any other way.
    response_mode: "streaming",
    user: request.user || NOBODY,
    auto_generate_name: false,
    files: files.length > 0 ? files : undefined,
  });
}
