import type { Attributes } from "@opentelemetry/api";
import { type Json, readObject } from "../../wire/canonical/json";
import type { AskedFor } from "./request-trace";

/** Longer lists and texts are cut: a span is no place for them. */
const STOPS_MAX = 8;
const TEXT_MAX = 128;

/**
 * What a request asks for, by the names of OpenTelemetry's conventions for GenAI, whichever of the callers' dialects it is in.
 * Not a word of the conversation is among it.
 */
export function askedAttributes(operation: string, { isStream, json = {} }: AskedFor): Attributes {
  const google = readObject(json.generationConfig ?? json.generation_config);
  const number = (...names: string[]): number | undefined => firstOf(json, google, names, isNumber);
  const choices = number("n", "candidateCount");
  return defined({
    "gen_ai.request.stream": isStream,
    "gen_ai.output.type": outputType(operation, json, google),
    "gen_ai.request.choice.count": choices === 1 ? undefined : choices,
    "gen_ai.request.seed": number("seed"),
    "gen_ai.request.top_k": number("top_k", "topK"),
    "gen_ai.request.top_p": number("top_p", "topP"),
    "gen_ai.request.temperature": number("temperature"),
    "gen_ai.request.frequency_penalty": number("frequency_penalty", "frequencyPenalty"),
    "gen_ai.request.presence_penalty": number("presence_penalty", "presencePenalty"),
    "gen_ai.request.max_tokens": number("max_completion_tokens", "max_tokens", "max_output_tokens", "maxOutputTokens"),
    "gen_ai.request.stop_sequences": stopsOf(json.stop ?? json.stop_sequences ?? google.stopSequences),
    "gen_ai.request.reasoning.level": text(
      json.reasoning_effort ?? readObject(json.reasoning).effort ?? readObject(json.output_config).effort,
    ),
    "gen_ai.request.previous_response.id": text(json.previous_response_id),
    "gen_ai.conversation.id": text(json.conversation) ?? text(readObject(json.conversation).id),
  });
}

/** Only what the caller asked for, not what the model writes by default. */
function outputType(operation: string, json: Json, google: Json): string | undefined {
  if (operation === "images") return "image";
  if (operation === "speech") return "speech";
  const format = readObject(json.response_format ?? readObject(json.text).format).type;
  if (format === "json_object" || format === "json_schema" || google.responseMimeType === "application/json")
    return "json";
  const modalities = [json.modalities ?? google.responseModalities].flat().map((name) => String(name).toLowerCase());
  if (modalities.includes("image")) return "image";
  if (modalities.includes("audio")) return "speech";
  return format === "text" || google.responseMimeType === "text/plain" ? "text" : undefined;
}

function stopsOf(given: unknown): string[] | undefined {
  const stops = [given].flat().filter((stop): stop is string => typeof stop === "string");
  return stops.length > 0 ? stops.slice(0, STOPS_MAX).map((stop) => stop.slice(0, TEXT_MAX)) : undefined;
}

function firstOf<Value>(
  json: Json,
  inner: Json,
  names: readonly string[],
  fits: (value: unknown) => value is Value,
): Value | undefined {
  for (const name of names) {
    const value = json[name] ?? inner[name];
    if (fits(value)) return value;
  }
  return undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value.slice(0, TEXT_MAX) : undefined;
}

function defined(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
