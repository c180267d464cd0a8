import { EFFORT_WORDS, type Rules } from "../../../../model-rules/schema";
import { type Json, readText } from "../../canonical/json";
import type { ChatRequest, Thinking } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { BUDGET_BY_EFFORT, type Effort, effortOf, isEffort } from "../common/thinking-budget";
import { field } from "./fields";

/** Maximum share of maxOutputTokens for thinking when the client gave an effort instead of a budget. */
const BUDGET_SHARE = 0.8;

/** The field thinkingConfig; undefined = the model's own way. */
export function encodeThinking(request: Pick<ChatRequest, "thinking" | "maxTokens">, rules: Rules): Json | undefined {
  const { thinking } = request;
  if (!thinking || rules.thinks === "never") return undefined;
  if (rules.word === "level") return encodeLevel(thinking, rules);
  const { min, max } = budgetsOf(rules);
  // Gemini 2.5 Pro cannot be kept from thinking.
  if (thinking.type === "off") return { thinkingBudget: rules.thinks === "always" ? min : 0 };
  const wanted = thinking.type === "effort" ? BUDGET_BY_EFFORT[thinking.effort] : thinking.tokens;
  const limit = request.maxTokens ?? Number.POSITIVE_INFINITY;
  const room = thinking.type === "effort" ? Math.floor(limit * BUDGET_SHARE) : limit - 1;
  const budget = Math.max(min, Math.min(wanted, room, max));
  return { thinkingBudget: budget, includeThoughts: true };
}

/** The least and the largest budget of a model that takes one. */
export function budgetsOf({ budget }: Rules): { min: number; max: number } {
  return budget ?? { min: 1, max: 24_576 };
}

function encodeLevel(thinking: Thinking, rules: Rules): Json {
  if (thinking.type === "off") return { thinkingLevel: levelOf("minimal", rules) };
  const effort = thinking.type === "effort" ? thinking.effort : effortOf(thinking.tokens);
  return { thinkingLevel: levelOf(effort, rules), includeThoughts: true };
}

/** The level itself, or the next one above it that the model has, else its highest. */
function levelOf(effort: Effort, { efforts = ["low", "medium", "high"] }: Rules): string {
  const rank = EFFORT_WORDS.indexOf(effort);
  return efforts.find((level) => EFFORT_WORDS.indexOf(level) >= rank) ?? efforts.at(-1) ?? effort;
}

/** Reads thinkingConfig. Throws InvalidRequest. */
export function decodeThinking(config: Json): Thinking | undefined {
  const level = readText(field(config, "thinkingLevel")).toLowerCase().replace("thinking_level_", "");
  const budget = field(config, "thinkingBudget");
  if (level !== "" && level !== "unspecified") {
    if (isEffort(level)) return { type: "effort", effort: level };
    throw new InvalidRequest("thinkingLevel must be minimal, low, medium or high", "thinkingConfig");
  }
  if (budget === 0) return { type: "off" };
  if (typeof budget === "number" && budget > 0) return { type: "budget", tokens: budget };
  // The model decides how long to think.
  const isAsked = budget === -1 || field(config, "includeThoughts") === true;
  return isAsked ? { type: "effort", effort: "medium" } : undefined;
}
