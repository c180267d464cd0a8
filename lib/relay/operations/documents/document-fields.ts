import type { Json } from "../../wire/canonical/json";
import { NOTHING_USED } from "../../wire/canonical/nothing-used";
import { readCount, type Usage } from "../../wire/canonical/usage";
import { InvalidRequest, withRequestId } from "../../wire/canonical/wire-error";
import { defaultDialect } from "../../wire/dialects";
import { knownNames } from "../../wire/dialects/common/known-names";
import { reportsError } from "../../wire/dialects/common/reported-error";
import type { ClientDialect, Edits } from "../../wire/dialects/dialect";

/** What Weir reads of requests for anything but conversations, in OpenAI's, Jina's and Cohere's formats. */
const names = knownNames({
  fields: [
    ...[
      "model",
      "models",
      "input",
      "inputs",
      "texts",
      "text",
      "type",
      "image_url",
      "url",
      "file_id",
      "image",
      "images",
    ],
    ...["mask", "prompt", "query", "top_n", "max_tokens_per_doc", "return_documents", "dimensions"],
    ...["output_dimension", "encoding_format", "embedding_types", "task", "input_type", "n", "size", "quality"],
    ...["background", "response_format", "output_format", "svg", "stream", "stream_format", "partial_images"],
    ...["batch_size", "num_images"],
    ...["sequential_image_generation", "sequential_image_generation_options", "max_images", "instructions", "voice"],
    ...["language", "file", "service_tier", "priority", "speed", "inference_geo", "provider", "route", "plugins"],
    ...["web_search_options", "search_parameters", "enable_search", "search_options", "tools", "modalities"],
    ...["cache_control", "ttl", "messages", "content", "user", "temperature"],
  ],
  callers: ["metadata", "documents"],
});

/** OpenAI's key and errors, without what only conversations have. */
export function openaiCaller(invalidRequestCode: string): ClientDialect {
  const { fallbacksField: _, ...caller } = defaultDialect.client;
  return { ...caller, names, invalidRequestCode };
}

/** Refuses what would have another model answer, at another price. */
export function refuseOtherModels(json: Json): void {
  if (json.models !== undefined)
    throw new InvalidRequest("models cannot be used here: the answers of another model cannot be compared", "models");
}

/** Cohere's error is a message and nothing else. */
export function cohereCaller(invalidRequestCode: string): ClientDialect {
  const clientDialect = openaiCaller(invalidRequestCode);
  return { ...clientDialect, renderError: ({ message }, _status, id) => ({ id, message: withRequestId(message, id) }) };
}

export function renameModel(json: Json, model: string): Edits {
  return json.model === model ? {} : { model };
}

/** Null = there is no such count: usage is then unknown, not zero. */
export function promptUsage(...counts: readonly unknown[]): Usage | null {
  const promptTokens = counts.map(readCount).find((count) => count !== null && count > 0);
  if (promptTokens === undefined || promptTokens === null) return null;
  return { ...NOTHING_USED, promptTokens };
}

/** `hasAnswer`: the body has what answers consist of. */
export const failsWithout =
  (hasAnswer: (json: Json) => boolean) =>
  (json: Json): boolean =>
    reportsError(json, null, hasAnswer(json));

/** At most `max` texts. Throws InvalidRequest. */
export function readTextList(value: unknown, name: string, max: number): readonly string[] {
  const list: readonly unknown[] = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  if (list.length === 0 || list.length > max || !list.every((item) => typeof item === "string")) {
    throw new InvalidRequest(`${name} must be a text or a list of 1 to ${max} texts`, name);
  }
  return list;
}
