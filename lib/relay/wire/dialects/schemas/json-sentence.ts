import type { ResponseFormat } from "../../canonical/request";

/** Asks for plain JSON where a format has no field for it. */
export const JSON_ONLY = "Answer with one JSON object and nothing else.";

/** Asks for JSON where the format has no words for a schema; "" = there is none. */
export function schemaSentence(format: ResponseFormat | undefined): string {
  if (format?.type !== "json-schema") return "";
  return `${JSON_ONLY} It must fit this JSON schema:\n${JSON.stringify(format.schema)}`;
}

/** Asks for JSON where the format has no words for it at all; "" = it is not asked for. */
export function jsonSentence(format: ResponseFormat | undefined): string {
  return format?.type === "json" ? JSON_ONLY : schemaSentence(format);
}
