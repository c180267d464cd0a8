import { type Json, readText } from "../../canonical/json";
import type { ChatRequest, Thinking } from "../../canonical/request";
import { InvalidRequest } from "../../canonical/wire-error";
import { BUDGET_BY_EFFORT, type Effort, effortOf, isEffort } from "../thinking-budget";
import { field } from "./fields";
import { budgetsOf, isNewest, isOld, thinksMinimally } from "./models";

/** Maximum share of maxOutputTokens for thinking when the client gave an effort instead of a budget. */
const BUDGET_SHARE = 0.8;

/** The field thinkingConfig; undefined = the model's own way. */
export function encodeThinking(request: Pick<ChatRequest, "thinking" | "maxTokens">, model: string): Json | undefined {
  const { thinking } = request;
  if (!thinking || isOld(model)) return undefined;
  if (isNewest(model)) return encodeLevel(thinking, model);
  const { min, max } = budgetsOf(model);
  // Gemini 2.5 Pro cannot be kept from thinking.
  if (thinking.type === "off") return { thinkingBudget: min === 128 ? min : 0 };
  const wanted = thinking.type === "effort" ? BUDGET_BY_EFFORT[thinking.effort] : thinking.tokens;
  const limit = request.maxTokens ?? Number.POSITIVE_INFINITY;
  const room = thinking.type === "effort" ? Math.floor(limit * BUDGET_SHARE) : limit - 1;
  const budget = Math.max(min, Math.min(wanted, room, max));
  return { thinkingBudget: budget, includeThoughts: true };
}

function encodeLevel(thinking: Thinking, model: string): Json {
  if (thinking.type === "off") return { thinkingLevel: levelOf("minimal", model) };
  const effort = thinking.type === "effort" ? thinking.effort : effortOf(thinking.tokens);
  return { thinkingLevel: levelOf(effort, model), includeThoughts: true };
}

function levelOf(effort: Effort, model: string): string {
  if (effort === "minimal" && !thinksMinimally(model)) return "low";
  // The first Gemini 3 Pro knows two levels.
  if (effort === "medium" && /gemini-3-pro/.test(model)) return "high";
  return effort === "xhigh" ? "high" : effort;
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
