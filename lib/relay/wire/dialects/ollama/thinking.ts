import type { Rules } from "../../../../model-rules/schema";
import type { Thinking } from "../../canonical/request";
import { threeEffort } from "../common/thinking-budget";
import { leastEffort } from "../common/thinking-words";

/** The field `think`: a word for gpt-oss, else yes or no; undefined = the model's own way. */
export function encodeThinking(thinking: Thinking | undefined, rules: Rules): boolean | string | undefined {
  if (!thinking || rules.thinks === "never") return undefined;
  // gpt-oss always thinks.
  if (rules.thinks === "always" && rules.word === "effort" && leastEffort(rules)) {
    return thinking.type === "off" ? leastEffort(rules) : threeEffort(thinking);
  }
  if (thinking.type === "off") return false;
  // A model without thoughts refuses the wish, and one that has them thinks where nothing is said.
  return rules.thinks === undefined ? undefined : true;
}
