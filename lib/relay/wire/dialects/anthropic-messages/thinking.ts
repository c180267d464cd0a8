import type { Rules } from "../../../../model-rules/schema";
import { type Json, readObject } from "../../canonical/json";
import type { AssistantPart, ChatRequest, Thinking, ToolChoice } from "../../canonical/request";
import { type ByModel, settingOf } from "../common/model-setting";
import { ownerOf } from "../common/signature";
import { BUDGET_BY_EFFORT } from "../common/thinking-budget";
import { effortFor, leastEffort } from "../common/thinking-words";

/**
 * Anthropic requires max_tokens; this is sent when neither the client nor the operator gave one. A thinking budget is
 * added on top.
 */
export const MAX_TOKENS_DEFAULT = 8_192;

export function maxTokensOf(model: string, settings: ByModel<number> | undefined): number {
  return (settings && settingOf(settings, model)) ?? MAX_TOKENS_DEFAULT;
}

/** Anthropic's minimum budget. */
export const BUDGET_MIN = 1_024;
/** The least limit of an answer to a name that asks for thinking (contract §6.3). */
const LIMIT_MIN = 1_280;
/** Maximum share of max_tokens for thinking when the client gave an effort instead of a budget. */
const BUDGET_SHARE = 0.8;

type ThinkingFields = { maxTokens: number; thinking: Json | null; effort: string | null };

/** The request fields that control thinking. `usual`: the limit of an answer for which the client gave none. */
export function encodeThinking(request: ChatRequest, rules: Rules, usual: number): ThinkingFields {
  const given = request.maxTokens ?? null;
  const silent = { maxTokens: given ?? usual, thinking: null, effort: null };
  const { thinking } = request;
  if (thinking?.type === "off" || isHeld(request, rules)) return { ...silent, ...switchedOff(rules) };
  if (!thinking || rules.thinks === "never" || mustNotThink(request, rules)) return silent;
  if (takesEffort(rules)) {
    return { ...silent, thinking: { type: "adaptive" }, effort: effortFor(thinking, rules) ?? null };
  }
  return budgetFields(thinking, given, usual) ?? silent;
}

/** A budget of thoughts within the limit; null = there is no room for one. */
export function budgetFields(
  thinking: Exclude<Thinking, { type: "off" }>,
  given: number | null,
  usual: number,
): ThinkingFields | null {
  const wanted = Math.max(BUDGET_MIN, thinking.type === "effort" ? BUDGET_BY_EFFORT[thinking.effort] : thinking.tokens);
  const maxTokens = given ?? usual + wanted;
  const room = thinking.type === "effort" ? Math.floor(maxTokens * BUDGET_SHARE) : maxTokens - 1;
  const budget = Math.min(wanted, room);
  if (budget < BUDGET_MIN) return null;
  return { maxTokens, thinking: { type: "enabled", budget_tokens: budget }, effort: null };
}

/** Others than Anthropic, who serve its format, think where nothing is said, so that they must be told where they may not. */
function isHeld(request: ChatRequest, rules: Rules): boolean {
  const isOther = rules.forcedTools === "without thoughts" || rules.thoughtsBack !== undefined;
  return isOther && rules.thinks === "choice" && mustNotThink(request, rules);
}

function isForced(choice: ToolChoice | undefined): boolean {
  return choice?.type === "required" || choice?.type === "tool";
}

/** From Claude 4.6 on, models decide how long to think, guided by an effort. */
const takesEffort = ({ word }: Rules): boolean => word === "output_config";

/** How a model is told not to think. One that always does is asked for the least. */
export function switchedOff(rules: Rules): Pick<ThinkingFields, "thinking" | "effort"> {
  const { thinks, off } = rules;
  if (thinks === "always" && takesEffort(rules)) return { thinking: null, effort: leastEffort(rules) ?? null };
  if (thinks !== "choice" || off === "") return { thinking: null, effort: null };
  return { thinking: { type: off ?? "disabled" }, effort: null };
}

/** What a name that ends in "-thinking" asks for (contract §6.3): a budget of `share` of the limit, or of `usual`. */
export function thinkingEdits(json: Json, rules: Rules, share: number, usual: number): Json {
  const { type: choice } = readObject(json.tool_choice);
  if (json.thinking !== undefined || choice === "any" || choice === "tool") return {};
  const plain = { temperature: undefined, top_p: undefined, top_k: undefined };
  if (takesEffort(rules)) return { ...plain, thinking: { type: "adaptive" } };
  const given = typeof json.max_tokens === "number" ? json.max_tokens : usual;
  const maxTokens = Math.max(given, LIMIT_MIN);
  const budget = Math.max(BUDGET_MIN, Math.min(Math.floor(maxTokens * share), maxTokens - 1));
  return { ...plain, max_tokens: maxTokens, thinking: { type: "enabled", budget_tokens: budget } };
}

/**
 * Anthropic refuses thinking with a forced tool call, and when a tool call since the last user message comes without
 * its signed thinking. Those who want thoughts back refuse any call without.
 */
function mustNotThink({ messages, toolChoice }: ChatRequest, { forcedTools, thoughtsBack }: Rules): boolean {
  if (isForced(toolChoice) && forcedTools !== false) return true;
  const isOpen = (part: AssistantPart): boolean => part.type === "thinking" && part.signature === undefined;
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(thoughtsBack === undefined ? lastUser + 1 : 0).some((message) => {
    if (message.role !== "assistant" || !message.content.some(({ type }) => type === "tool-call")) return false;
    return !message.content.some((part) => isSigned(part) || (thoughtsBack !== undefined && isOpen(part)));
  });
}

/** Whether it is thinking that Anthropic signed. */
export function isSigned(part: AssistantPart): boolean {
  if (part.type === "redacted-thinking") return ownerOf(part.data) === "anthropic";
  return part.type === "thinking" && part.signature !== undefined && ownerOf(part.signature) === "anthropic";
}

/** Reads the thinking settings of a messages request. */
export function decodeThinking(given: Json, outputConfig: Json): Thinking | undefined {
  const { type, budget_tokens: tokens } = given;
  if (type === "disabled") return { type: "off" };
  if (type === "enabled" && typeof tokens === "number" && tokens > 0) return { type: "budget", tokens };
  if (type !== "adaptive" && type !== "between_tools") return undefined;
  const { effort } = outputConfig;
  if (effort === "low" || effort === "medium") return { type: "effort", effort };
  return { type: "effort", effort: effort === "max" || effort === "xhigh" ? "xhigh" : "high" };
}
