import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { ProviderError } from "../../canonical/wire-error";
import { isFilled } from "./reported-error";

/**
 * Reasons by which an upstream ends an answer that has failed: a broken call, or a fault of its own. In lower case.
 * Google: https://ai.google.dev/api/generate-content#FinishReason; its OpenAI-shaped endpoint writes "function_call_filter: …".
 * Bedrock: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (stopReason).
 * OpenRouter and Mistral: "error"; vLLM and SGLang: "abort", https://docs.vllm.ai/en/latest/api/vllm/v1/engine/; DeepSeek: https://api-docs.deepseek.com/api/create-chat-completion; Zhipu: "network_error".
 * All of November 2026.
 */
const BROKEN_CALLS: ReadonlySet<string> = new Set([
  ...["malformed_function_call", "unexpected_tool_call", "too_many_tool_calls", "malformed_response"],
  ...["missing_thought_signature", "malformed_model_output", "malformed_tool_use"],
]);
const FAULTS: ReadonlySet<string> = new Set(["error", "network_error", "insufficient_system_resource", "abort"]);
const FILTERED_CALL = /^function_call_filter\b/;

/** Google's reasons for an answer that is whole, cut for its length or blocked. Any other one, also a new one, is a failure. */
const GOOGLES: ReadonlySet<string> = new Set([
  ...["STOP", "MAX_TOKENS", "CONTINUATION", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"],
  ...["MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "FINISH_REASON_UNSPECIFIED", ""],
]);

export function isFailedEnd(reason: unknown): boolean {
  if (typeof reason !== "string" || reason === "") return false;
  return FAULTS.has(reason.toLowerCase()) || isBrokenCall(reason);
}

/** The model wrote a call wrongly, which says nothing of the channel. */
export function isBrokenCall(reason: unknown): boolean {
  if (typeof reason !== "string") return false;
  const word = reason.toLowerCase();
  return BROKEN_CALLS.has(word) || FILTERED_CALL.test(word);
}

/** Whether a candidate of Google's ended by a reason that says neither that it is whole nor that it was blocked. */
export function isUnknownEnd({ finishReason }: Json): boolean {
  return !GOOGLES.has(readText(finishReason).toUpperCase());
}

/** The end of an answer, as its format has it. */
type End = { word: string; message: string };

/** The first end in a body or an event; null = none. */
function endOf(json: Json): End | null {
  const candidate = readArray(json.candidates).map(readObject).find(isUnknownEnd);
  if (candidate) return { word: readText(candidate.finishReason), message: readText(candidate.finishMessage) };
  const output = readObject(json.output);
  const ofChoices = [...readArray(json.choices), ...readArray(output.choices)].map(
    (choice) => readObject(choice).finish_reason,
  );
  const words = [...ofChoices, json.stopReason, json.stop_reason, readObject(json.delta).stop_reason];
  const word = words.find(isFailedEnd);
  return word === undefined ? null : { word: readText(word), message: "" };
}

/** What the caller and the log are told of an answer that ended in a failure; null = it did not, or has words of its own for it. */
export function readProviderError(json: Json): ProviderError | null {
  if (isFilled(json.error) || readArray(json.choices).some((choice) => isFilled(readObject(choice).error))) return null;
  const end = endOf(json);
  if (!end) return null;
  const reason = `the model's answer ended with ${end.word}`;
  const message = end.message === "" ? reason : `${reason}: ${end.message}`;
  return { error: { message, type: "upstream_error", param: null, code: end.word }, status: null };
}
