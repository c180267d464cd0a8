import type { ChatRequest } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";

/** What a caller asks an upstream to do beyond the conversation. It is never left out silently. */
export type Extra = "webSearch" | "logprobs";

const PARAMS: Readonly<Record<Extra, string>> = { webSearch: "tools", logprobs: "logprobs" };
const NAMES: Readonly<Record<Extra, string>> = {
  webSearch: "a search of the web: the upstream of this model cannot be asked for one",
  logprobs: "logprobs: the upstream of this model cannot report them",
};

/**
 * The request without what the client can do without. Throws InvalidRequest for any other extra that the upstream's format
 * has no words for.
 */
export function withoutExtras(request: ChatRequest, known: readonly Extra[] = []): ChatRequest {
  if (request.webSearch?.isOptional && !known.includes("webSearch")) {
    const { webSearch: _, ...rest } = request;
    return withoutExtras(rest, known);
  }
  for (const extra of ["webSearch", "logprobs"] as const) {
    if (request[extra] === undefined || known.includes(extra)) continue;
    throw new InvalidRequest(NAMES[extra], PARAMS[extra]);
  }
  return request;
}
