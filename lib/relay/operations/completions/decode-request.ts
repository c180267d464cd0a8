import type { Json } from "../../wire/canonical/json";
import type { ChatRequest } from "../../wire/canonical/request";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { defined } from "../../wire/dialects/common/defined";
import { isGiven } from "../../wire/dialects/common/option-rule";
import { readLimit, readModel, readNumber, readStream, readTexts } from "../../wire/dialects/common/request-fields";
import { promptsOf, readCompletionMax } from "./facts";

/** Fields that formats for conversations have no words for. */
const ONLY_HERE = ["suffix", "echo", "logprobs", "best_of"];

/** One prompt as a conversation of one message. Throws InvalidRequest for what a conversation cannot be asked for. */
export function decodeRequest(json: Json): ChatRequest {
  const [text, ...others] = promptsOf(json.prompt);
  if (typeof text !== "string" || others.length > 0) {
    throw new InvalidRequest("the model's upstream takes one text as the prompt", "prompt");
  }
  const unknown = ONLY_HERE.find((name) => isGiven(json[name]) && json[name] !== "");
  if (unknown !== undefined) throw new InvalidRequest(`the model's upstream has no ${unknown}`, unknown);
  if ((readLimit(json, "n", 1, 128) ?? 1) > 1) throw new InvalidRequest("the model's upstream gives one answer", "n");
  return defined({
    model: readModel(json.model),
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text }] }],
    maxTokens: readCompletionMax(json) ?? undefined,
    temperature: readNumber(json, "temperature"),
    topP: readNumber(json, "top_p"),
    presencePenalty: readNumber(json, "presence_penalty"),
    frequencyPenalty: readNumber(json, "frequency_penalty"),
    stop: readTexts(json, "stop"),
    seed: readNumber(json, "seed"),
    isStream: readStream(json),
  });
}
