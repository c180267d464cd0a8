import { counter } from "./family";
import { histogram } from "./histogram";

/** The families that the routes fill. */
export function emptyFamilies() {
  return {
    requests: counter("weir_requests_total", "Requests by how they were answered", []),
    duration: histogram("weir_request_duration_seconds", "From the request to the end of its answer", []),
    firstToken: histogram("weir_time_to_first_token_seconds", "From the request to the first bytes of a stream", []),
    tokens: counter("weir_tokens_total", "Tokens that were charged", []),
    quota: counter("weir_charged_quota_total", "Quota that was charged", []),
    money: counter("weir_charged_money_total", "What was charged, in the site's currency", []),
    cost: counter("weir_cost_quota_total", "What the upstreams bill, as far as it is known, in quota", []),
  };
}

export type RouteFamilies = ReturnType<typeof emptyFamilies>;
