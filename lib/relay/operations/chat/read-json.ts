import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { Call } from "../operation";
import { refused } from "./refused";

/** Throws RelayError with 400 where the body is no JSON object. */
export function readJson(body: Buffer, call: Pick<Call, "caller">): Json {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    throw refused(new InvalidRequest("the request body is not valid JSON"), call);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refused(new InvalidRequest("the request body must be a JSON object"), call);
  }
  return value as Json;
}
