import { nearestEffort, rulesOf } from "../../../../model-rules/rules-of";
import type { EffortWord, Provider, Rules } from "../../../../model-rules/schema";
import type { Json } from "../../canonical/json";
import type { Thinking } from "../../canonical/request";
import type { UpstreamTarget } from "../dialect";
import { defined } from "./defined";
import { BUDGET_BY_EFFORT, effortOf } from "./thinking-budget";

/** What is known of the model that is asked. `usual`: who serves it where the target does not say. */
export function rulesFor({ rules, model }: UpstreamTarget, usual?: Provider): Rules {
  return rules ?? rulesOf(model, usual);
}

type Asked = { isStream: boolean; maxTokens?: number | undefined };
type Wish = Exclude<Thinking, { type: "off" }>;

/** The least effort at which a model thinks; undefined = it knows none. */
export function leastEffort({ efforts }: Rules): EffortWord | undefined {
  return efforts?.find((effort) => effort !== "none");
}

/**
 * The effort that says how a model is to think, where an effort is its only word for it; undefined = nothing is said. A
 * model that always thinks is asked for the least where it should not.
 */
export function effortFor(thinking: Thinking, rules: Rules): EffortWord | undefined {
  const { thinks, efforts } = rules;
  if (thinks === "never") return undefined;
  if (thinking.type !== "off") return wantedEffort(thinking, rules);
  if (thinks === undefined) return undefined;
  return thinks === "choice" && (efforts?.includes("none") ?? true) ? "none" : leastEffort(rules);
}

function wantedEffort(thinking: Wish, { efforts }: Rules): EffortWord | undefined {
  const effort = thinking.type === "effort" ? thinking.effort : effortOf(thinking.tokens);
  return efforts
    ? nearestEffort(
        effort,
        efforts.filter((word) => word !== "none"),
      )
    : effort;
}

/** The fields of chat completions that say how to think, in the word of the provider. */
export function thinkingFields(thinking: Thinking, rules: Rules, asked: Asked): Json {
  if (rules.thinks === "never") return {};
  return thinking.type === "off" ? offFields(rules) : wishFields(thinking, rules, asked);
}

function offFields(rules: Rules): Json {
  const { thinks, word } = rules;
  if (thinks === undefined) return {};
  const least = thinks === "always" ? leastEffort(rules) : undefined;
  if (thinks === "always" && least === undefined) return {};
  switch (word) {
    case "effort":
      return defined({ reasoning_effort: effortFor({ type: "off" }, rules) });
    case "reasoning":
      return { reasoning: { effort: least ?? "none" } };
    case "thinking":
    case "adaptive":
      return least ? { reasoning_effort: least } : { thinking: { type: "disabled" } };
    case "enable_thinking":
      return least ? {} : { enable_thinking: false };
    case "chat_template_kwargs":
      return least ? {} : templateFields(false);
    default:
      return {};
  }
}

function wishFields(thinking: Wish, rules: Rules, { isStream, maxTokens }: Asked): Json {
  const { thinks, word, efforts } = rules;
  const isKnown = efforts !== undefined && efforts.length > 0;
  const effort = isKnown ? wantedEffort(thinking, rules) : undefined;
  switch (word) {
    case "reasoning":
      return { reasoning: thinking.type === "budget" ? { max_tokens: thinking.tokens } : { effort } };
    case "thinking":
    case "adaptive": {
      const type = word === "adaptive" ? "adaptive" : "enabled";
      return defined({ thinking: thinks === "choice" ? { type } : undefined, reasoning_effort: effort });
    }
    case "enable_thinking": {
      if (rules.thinksInStreams && !isStream) return {};
      const switched = thinks === "choice" ? { enable_thinking: true } : {};
      return defined({ ...switched, reasoning_effort: effort, ...budgetFields(thinking, rules, maxTokens) });
    }
    case "chat_template_kwargs":
      return thinks === "choice" ? templateFields(true) : {};
    case "effort":
      return defined({ reasoning_effort: effort });
    default:
      return { reasoning_effort: effort ?? (thinking.type === "effort" ? thinking.effort : effortOf(thinking.tokens)) };
  }
}

/** Templates of Qwen and GLM have the first name, those of DeepSeek and Kimi the second; a name that is not used is ignored. */
const templateFields = (thinks: boolean): Json => ({
  chat_template_kwargs: { enable_thinking: thinks, thinking: thinks },
});

/** Share of a limit for thinking when the client gave an effort instead of a budget. */
const BUDGET_SHARE = 0.8;

/** `max_tokens` limits what follows the thoughts here: together with their budget it keeps the client's limit. */
function budgetFields(thinking: Wish, { budget: bounds }: Rules, maxTokens: number | undefined): Json {
  if (!bounds) return {};
  const wanted = thinking.type === "budget" ? thinking.tokens : BUDGET_BY_EFFORT[thinking.effort];
  const room =
    maxTokens === undefined
      ? bounds.max
      : thinking.type === "budget"
        ? maxTokens - 1
        : Math.floor(maxTokens * BUDGET_SHARE);
  const tokens = Math.min(wanted, room, bounds.max);
  // Less than the least budget cannot be asked for, and what is over would be taken from the answer.
  if (tokens < bounds.min) return {};
  return defined({
    thinking_budget: tokens,
    max_tokens: maxTokens === undefined ? undefined : Math.max(1, maxTokens - tokens),
  });
}
