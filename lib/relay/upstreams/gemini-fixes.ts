import { type Json, readArray, readObject } from "../canonical/json";
import { field, generationConfig, givenName, objectField, partsOf } from "../dialects/gemini-generate-content/fields";
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

const CALL = "functionCall";
const RESULT = "functionResponse";

/** Vertex AI knows no ids of calls and refuses them. It tells the results by the order of their calls. */
export const withoutCallIds: RequestFix = ({ contents }) => {
  const given = readArray(contents).map(readObject);
  const idOf = (part: Json, name: string): unknown => objectField(part, name).id;
  const hasId = (part: Json): boolean => idOf(part, CALL) !== undefined || idOf(part, RESULT) !== undefined;
  if (!given.some((content) => partsOf(content).some(hasId))) return {};
  let asked: unknown[] = [];
  const written = given.map((content): Json => {
    const parts = partsOf(content);
    const calls = parts.filter((part) => field(part, CALL) !== undefined);
    if (calls.length > 0) asked = calls.map((part) => idOf(part, CALL));
    const isResult = (part: Json): boolean => field(part, RESULT) !== undefined;
    const place = (part: Json): number => asked.indexOf(idOf(part, RESULT));
    const results = parts.filter(isResult).sort((one, other) => place(one) - place(other));
    const sorted = parts.map((part) => (isResult(part) ? (results.shift() ?? part) : part));
    return { ...content, parts: sorted.map((part) => withoutId(withoutId(part, CALL), RESULT)) };
  });
  return { contents: written };
};

function withoutId(part: Json, name: string): Json {
  if (field(part, name) === undefined) return part;
  const { id: _, ...rest } = objectField(part, name);
  return { ...part, [givenName(part, name)]: rest };
}

function configOf(word: string, budget: string | undefined, model: string): Json {
  if (word === "nothinking") return encodeThinking({ thinking: { type: "off" } }, model) ?? {};
  if (budget !== undefined) {
    const tokens = Number(budget);
    return encodeThinking({ thinking: tokens === 0 ? { type: "off" } : { type: "budget", tokens } }, model) ?? {};
  }
  // The model decides how much.
  return isNewest(model) ? { includeThoughts: true } : { thinkingBudget: -1, includeThoughts: true };
}
