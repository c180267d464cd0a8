import { measureJson } from "../../base/json-bounds";
import type { Form } from "../../http/forms/form";
import type { Json } from "../../wire/canonical/json";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { checkNames, refuseOtherCase } from "../../wire/dialects/common/known-names";
import { refuseControls } from "../../wire/dialects/common/upstream-controls";
import type { Call } from "../operation";
import { refused } from "../operation";

/** `bytes`: the body, written anew where an object of it has a name twice, because readers disagree about which counts. */
export type ReadBody = { json: Json; bytes: Buffer };

/**
 * Reads what is judged here and obeyed by an upstream, so that both find the same in it. Throws RelayError with 400 where
 * the body is no JSON object, or has a name or a shape that readers take differently.
 */
export function readJson(body: Buffer, call: Pick<Call, "clientDialect" | "values">): ReadBody {
  const json = parse(body, call);
  try {
    refuseControls(json, call.clientDialect);
    const values = checkNames(json, call.clientDialect.names);
    const areUnique = 1 + values === (call.values ?? valuesIn(body));
    const whole = hasSurrogates(body) ? (wellFormed(json) as Json) : json;
    const isAsGiven = areUnique && whole === json;
    return { json: whole, bytes: isAsGiven ? body : Buffer.from(JSON.stringify(whole)) };
  } catch (error) {
    throw refused(error, call);
  }
}

/** The same for the fields of a form, of which none is there twice. Throws RelayError with 400. */
export function checkForm({ entries }: Form, call: Pick<Call, "clientDialect">): void {
  const fields = entries.map(({ name }) => name.replace(/\[.*$/s, "").trim());
  try {
    refuseControls(Object.fromEntries(fields.map((name) => [name, ""])), call.clientDialect);
    for (const name of fields) refuseOtherCase(name, call.clientDialect.names);
  } catch (error) {
    throw refused(error, call);
  }
}

/** Whether surrogates are written as escapes, alone or in pairs. */
function hasSurrogates(body: Buffer): boolean {
  return body.includes("\\u") && (body.includes("\\ud") || body.includes("\\uD"));
}

const LONE_HALF = /\p{Surrogate}/gu;

/**
 * The value with U+FFFD in place of each lone surrogate: providers refuse such a body, and clients write them where they cut
 * a text. The same value where there is none.
 */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(LONE_HALF, "\ufffd");
  if (Array.isArray(value)) {
    const items = value.map(wellFormed);
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  const written = entries.map(([name, inner]) => [wellFormed(name), wellFormed(inner)] as const);
  const isSame = written.every(([name, inner], at) => name === entries[at]?.[0] && inner === entries[at]?.[1]);
  return isSame ? value : Object.fromEntries(written);
}

/** How many values the text has; -1 = too many. */
function valuesIn(body: Buffer): number {
  const bounds = measureJson(body);
  return "values" in bounds ? bounds.values : -1;
}

function parse(body: Buffer, call: Pick<Call, "clientDialect">): Json {
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
