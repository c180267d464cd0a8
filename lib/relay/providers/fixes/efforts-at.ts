import { isEffortWord, nearestEffort, rulesOf } from "@/lib/model-rules/rules-of";
import type { Provider } from "@/lib/model-rules/schema";
import { type Json, readObject } from "../../wire/canonical/json";
import type { Edits } from "../../wire/dialects/dialect";
import type { RequestFix } from "../channel-type";

/** An effort that the model knows. Callers of other dialects cannot know which it has. */
export function effortsAt(provider: Provider): RequestFix {
  return (json, model, options) => {
    const given = json.input === undefined ? json.reasoning_effort : readObject(json.reasoning).effort;
    if (!isEffortWord(given)) return {};
    const { efforts: all, chatTools, thinks } = rulesOf(model, provider, options["models.rules"]);
    const efforts = all?.filter((word) => {
      if (word === "none") return thinks !== "always";
      // Models that take tools only in the Responses API take max only there, too.
      return word !== "max" || chatTools !== "never" || json.input !== undefined;
    });
    if (!efforts || efforts.includes(given)) return {};
    return effortEdit(json, nearestEffort(given, efforts));
  };
}

/** The Responses API has its own place for the effort. Undefined = none. */
export function effortEdit(json: Readonly<Json>, effort: string | undefined): Edits {
  if (json.input === undefined) return { reasoning_effort: effort };
  return { reasoning: effort === undefined ? undefined : { ...readObject(json.reasoning), effort } };
}
