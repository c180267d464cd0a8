import type { Json } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import { checkNames, refuseOtherCase } from "../../dialects/known-names";
import { refuseControls } from "../../dialects/upstream-controls";
import type { Form } from "../../forms/form";
import { measureJson } from "../../json-bounds";
import type { Call } from "../operation";
import { refused } from "./refused";

/** `bytes`: the body, written anew where an object of it has a name twice, because readers disagree about which counts. */
export type ReadBody = { json: Json; bytes: Buffer };

/**
 * Reads what is judged here and obeyed by an upstream, so that both find the same in it. Throws RelayError with 400 where
 * the body is no JSON object, or has a name or a shape that readers take differently.
 */
export function readJson(body: Buffer, call: Pick<Call, "caller" | "values">): ReadBody {
  const json = parse(body, call);
  try {
    refuseControls(json, call.caller);
    const values = checkNames(json, call.caller.names);
    const areUnique = 1 + values === (call.values ?? valuesIn(body));
    return { json, bytes: areUnique ? body : Buffer.from(JSON.stringify(json)) };
  } catch (error) {
    throw refused(error, call);
  }
}

/** The same for the fields of a form, of which none is there twice. Throws RelayError with 400. */
export function checkForm({ entries }: Form, call: Pick<Call, "caller">): void {
  const fields = entries.map(({ name }) => name.replace(/\[.*$/s, "").trim());
  try {
    refuseControls(Object.fromEntries(fields.map((name) => [name, ""])), call.caller);
    for (const name of fields) refuseOtherCase(name, call.caller.names);
  } catch (error) {
    throw refused(error, call);
  }
}

/** How many values the text has; -1 = too many. */
function valuesIn(body: Buffer): number {
  const bounds = measureJson(body);
  return "values" in bounds ? bounds.values : -1;
}

function parse(body: Buffer, call: Pick<Call, "caller">): Json {
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
