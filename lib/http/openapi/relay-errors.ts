import type { JsonSchema } from "./types";

const text: JsonSchema = { type: "string" };
const objectOf = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: "object",
  required: Object.keys(properties),
  properties,
});

/** Error bodies of endpoints whose clients expect another shape than OpenAI's. */
export const errorSchemas: Readonly<Record<string, JsonSchema>> = {
  AnthropicError: objectOf({
    type: { type: "string", const: "error" },
    error: objectOf({ type: text, message: text }),
    request_id: text,
  }),
  GoogleError: objectOf({ error: objectOf({ code: { type: "integer" }, message: text, status: text }) }),
  CohereError: objectOf({ id: text, message: text }),
  DrawingError: objectOf({ description: text, type: text, code: { type: "integer" } }),
  MusicError: objectOf({ code: text, message: text, data: { type: "null" } }),
};

/** By path; a test compares them with what the relay answers. */
const ERRORS: readonly (readonly [path: RegExp, name: string])[] = [
  [/^\/v1\/messages(\/|$)/, "AnthropicError"],
  [/^\/v1beta(\/|$)/, "GoogleError"],
  [/^\/v2(\/|$)/, "CohereError"],
  [/^\/mj\//, "DrawingError"],
  [/^\/suno\//, "MusicError"],
];

/** The error responses of an endpoint of the relay. */
export function relayErrors(path: string): Record<string, { $ref: string }> {
  const name = ERRORS.find(([pattern]) => pattern.test(path))?.[1] ?? "RelayError";
  const shared = (response: string) => ({ $ref: `#/components/responses/${response}` });
  return { "431": shared("HeadersTooLarge"), default: shared(name) };
}
