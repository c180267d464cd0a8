import { readJsonFixture } from "@/lib/testing/dialect-fixtures";

/** A conversation of the matrix: what is asked and what is answered, by the names of their fixtures. */
export type Scenario = {
  name: string;
  request: string;
  answer: string;
  alter?: (json: Json) => Json;
  keepsStop?: true;
};
type Json = Record<string, unknown>;

export const SCENARIOS: readonly Scenario[] = [
  { name: "text", request: "text", answer: "text" },
  { name: "tools", request: "tools", answer: "text" },
  { name: "parallel tools", request: "tools", answer: "parallel-tools" },
  { name: "tool results", request: "tool-results", answer: "text" },
  { name: "images", request: "images", answer: "text" },
  { name: "thinking", request: "text", answer: "thinking" },
  { name: "thinking with tools over turns", request: "thinking", answer: "thinking-signature" },
  { name: "stop sequences", request: "text", answer: "text", keepsStop: true },
  { name: "JSON schema", request: "json-schema", answer: "text" },
  { name: "long context", request: "text", answer: "text", alter: lengthen },
  { name: "error", request: "text", answer: "error" },
  { name: "cut", request: "text", answer: "cut" },
];

/** What a request is lengthened by: more than a socket gives at once. */
export const LONG = "The river runs through the weir. ".repeat(2_500);

/** Puts the long text behind the last text of the request. */
function lengthen(json: Json): Json {
  const places = ["messages", "contents", "input"];
  const place = places.find((key) => json[key] !== undefined) ?? "";
  const last = lastText(json[place]);
  const text = JSON.stringify(json[place]);
  const at = text.lastIndexOf(JSON.stringify(last));
  const longer = JSON.stringify(`${last} ${LONG}`);
  return { ...json, [place]: JSON.parse(text.slice(0, at) + longer + text.slice(at + JSON.stringify(last).length)) };
}

function lastText(value: unknown): string {
  if (typeof value === "string") return value;
  const inner = Object.entries(value ?? {}).filter(([key]) => !["role", "type", "cache_control"].includes(key));
  return (
    inner
      .map(([, one]) => (typeof one === "object" || typeof one === "string" ? lastText(one) : ""))
      .findLast((text) => text !== "") ?? ""
  );
}

/** The request of a caller. Pictures at addresses are left out: they would have to be fetched. */
export function requestOf(dialect: string, { request, alter, keepsStop }: Scenario): Json {
  const json = withoutAddresses(readJsonFixture(dialect, `${request}.request`)) as Json;
  if (!keepsStop) withoutStop(json);
  return alter ? alter(json) : json;
}

/** Stop sequences are a scenario of their own, because some upstreams have none. */
function withoutStop(json: Json): void {
  const { generationConfig = {} } = json as { generationConfig?: Json };
  for (const place of [json, generationConfig])
    for (const name of ["stop", "stop_sequences", "stopSequences"]) delete place[name];
}

function withoutAddresses(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isAtAddress(item)).map(withoutAddresses);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutAddresses(inner)]));
}

function isAtAddress(item: unknown): boolean {
  const { type } = (item ?? {}) as Json;
  if (type === "message" || type === "tool_result" || type === "function_call_output") return false;
  const isMessage = typeof item === "object" && item !== null && ("role" in item || "parts" in item);
  return !isMessage && /"https?:\/\//.test(JSON.stringify(item) ?? "");
}
