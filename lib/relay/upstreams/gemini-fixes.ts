import type { Json } from "../canonical/json";
import { generationConfig, givenName } from "../dialects/gemini-generate-content/fields";
import { isNewest, isOld } from "../dialects/gemini-generate-content/models";
import { encodeThinking } from "../dialects/gemini-generate-content/thinking";
import type { RequestFix } from "./channel-type";

/** Suffixes that say how a model is to think; Google's own names have others. */
const SUFFIX = /-(nothinking|thinking(?:-(\d{1,6}))?)$/;

/** Google's name of the model. */
export function geminiModel(model: string): string {
  return model.startsWith("gemini-") ? model.replace(SUFFIX, "") : model;
}

/** Names that end in "-thinking", "-nothinking" or "-thinking-<budget>". */
export const geminiThinking: RequestFix = (json, name) => {
  const model = geminiModel(name);
  const [, word, budget] = model === name ? [] : (SUFFIX.exec(name) ?? []);
  if (word === undefined || isOld(model)) return {};
  const thinkingConfig = configOf(word, budget, model);
  const { thinkingConfig: _, thinking_config: __, ...config } = generationConfig(json);
  return { [givenName(json, "generationConfig")]: { ...config, thinkingConfig } };
};

function configOf(word: string, budget: string | undefined, model: string): Json {
  if (word === "nothinking") return encodeThinking({ thinking: { type: "off" } }, model) ?? {};
  if (budget !== undefined) {
    const tokens = Number(budget);
    return encodeThinking({ thinking: tokens === 0 ? { type: "off" } : { type: "budget", tokens } }, model) ?? {};
  }
  // The model decides how much.
  return isNewest(model) ? { includeThoughts: true } : { thinkingBudget: -1, includeThoughts: true };
}
