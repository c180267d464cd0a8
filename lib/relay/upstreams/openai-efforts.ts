import { isEffortWord, nearestEffort, rulesOf } from "@/lib/model-rules/rules-of";
import { type Json, readObject } from "../canonical/json";
import type { Edits } from "../dialects/dialect";
import type { RequestFix } from "./channel-type";

/** An effort that the model knows. Callers of other dialects cannot know which it has. */
export const openaiEfforts: RequestFix = (json, model, options) => {
  const given = json.input === undefined ? json.reasoning_effort : readObject(json.reasoning).effort;
  if (!isEffortWord(given)) return {};
  const { efforts: all, chatTools } = rulesOf(model, "openai", options["models.rules"]);
  // What needs the Responses API for tools needs it for the highest effort, too.
  const efforts = chatTools === "never" && json.input === undefined ? all?.filter((word) => word !== "max") : all;
  if (!efforts || efforts.includes(given)) return {};
  return effortEdit(json, nearestEffort(given, efforts));
};

/** The Responses API has its own place for the effort. Undefined = none. */
export function effortEdit(json: Readonly<Json>, effort: string | undefined): Edits {
  if (json.input === undefined) return { reasoning_effort: effort };
  return { reasoning: effort === undefined ? undefined : { ...readObject(json.reasoning), effort } };
}
