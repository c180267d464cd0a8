import { priceUsage } from "@/lib/billing/price";
import { RelayError } from "../../base/relay-error";
import { defaultDialect } from "../../wire/dialects";
import type { Call, Operation } from "../operation";
import { REALTIME_PATH, RealtimeIntake } from "./realtime-intake";

/** Parameters that ask for another kind of session than one with a model. */
const OTHER_SESSIONS = ["call_id", "intent"];

/** Sessions over a WebSocket, in OpenAI's format. lib/relay/side/realtime serves them; a request without an upgrade is refused. */
export const realtime: Operation = {
  id: "realtime",
  endpoints: [{ method: "GET", path: REALTIME_PATH, clientDialect: defaultDialect.client }],
  read(_body, call) {
    if (call.headers.upgrade !== undefined) return readSession(call);
    throw new RelayError("upgrade_required", "a realtime session is opened with a WebSocket");
  },
  charge: priceUsage,
};

/** Throws RelayError with 400. */
export function readSession(call: Pick<Call, "query" | "headers">): RealtimeIntake {
  const parameters = new URLSearchParams(call.query);
  const other = OTHER_SESSIONS.find((name) => parameters.has(name));
  if (other) throw invalid(`sessions by ${other} are not served; name a model instead`, other);
  const model = parameters.get("model") ?? "";
  if (model === "") throw invalid("the parameter model is missing", "model");
  return new RealtimeIntake(call, model);
}

function invalid(message: string, param: string): RelayError {
  return new RelayError("invalid_query", message, { param });
}
