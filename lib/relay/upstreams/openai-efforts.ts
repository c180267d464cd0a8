import { type Json, readObject } from "../canonical/json";
import type { Edits } from "../dialects/dialect";
import type { RequestFix } from "./channel-type";

/** In ascending order. */
const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"];
const THREE = ["low", "medium", "high"];

/**
 * The efforts that OpenAI's models know, as their pages say (https://platform.openai.com/docs/models); they refuse all
 * others. The first row that fits counts; [] = the model does not think, and refuses the field.
 */
const KNOWN: readonly (readonly [models: RegExp, efforts: readonly string[]])[] = [
  [/^(gpt-[34]|chatgpt-|o1-(mini|preview))/, []],
  [/^(gpt-5(\.\d+)?-chat|o\d(-mini)?-deep-research)/, ["medium"]],
  [/^gpt-5-pro/, ["high"]],
  [/^gpt-5\.\d+-pro/, ["medium", "high", "xhigh"]],
  [/^(gpt-5\.1-codex-max|gpt-5\.([2-9]|\d\d)-codex)/, [...THREE, "xhigh"]],
  [/^(gpt-5(\.1)?-codex|codex-|o\d)/, THREE],
  [/^gpt-5(-mini|-nano)?(-\d{4}|$)/, ["minimal", ...THREE]],
  [/^gpt-5\.1(-\d{4}|$)/, ["none", ...THREE]],
  [/^gpt-5\.\d/, ["none", ...THREE, "xhigh"]],
];

/** The nearest effort that does not exceed the wanted one, else the least; undefined = the model takes none. */
function nearest(wanted: string, efforts: readonly string[]): string | undefined {
  const rank = EFFORTS.indexOf(wanted);
  return efforts.findLast((effort) => EFFORTS.indexOf(effort) <= rank) ?? efforts[0];
}

/** An effort that the model knows. Callers of other dialects cannot know which it has. */
export const openaiEfforts: RequestFix = (json, model) => {
  const given = json.input === undefined ? json.reasoning_effort : readObject(json.reasoning).effort;
  if (typeof given !== "string" || !EFFORTS.includes(given)) return {};
  const efforts = KNOWN.find(([models]) => models.test(model))?.[1];
  if (!efforts || efforts.includes(given)) return {};
  return effortEdit(json, nearest(given, efforts));
};

/** The Responses API has its own place for the effort. Undefined = none. */
export function effortEdit(json: Readonly<Json>, effort: string | undefined): Edits {
  if (json.input === undefined) return { reasoning_effort: effort };
  return { reasoning: effort === undefined ? undefined : { ...readObject(json.reasoning), effort } };
}
