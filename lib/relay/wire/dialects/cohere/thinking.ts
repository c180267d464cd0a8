import type { Rules } from "../../../../model-rules/schema";
import { type Json, readObject } from "../../canonical/json";
import type { ChatRequest } from "../../canonical/request";
import { BUDGET_BY_EFFORT } from "../common/thinking-budget";

/** Maximum share of max_tokens for thinking when the client gave an effort instead of a budget. */
const BUDGET_SHARE = 0.8;

/** The field `thinking`; undefined = the model's own way. */
export function encodeThinking({ thinking, maxTokens }: ChatRequest, { thinks }: Rules): Json | undefined {
  if (!thinking || thinks === "never") return undefined;
  if (thinking.type === "off") return { type: "disabled" };
  const wanted = thinking.type === "effort" ? BUDGET_BY_EFFORT[thinking.effort] : thinking.tokens;
  const limit = maxTokens ?? Number.POSITIVE_INFINITY;
  const room = thinking.type === "effort" ? Math.floor(limit * BUDGET_SHARE) : limit - 1;
  return { type: "enabled", token_budget: Math.max(1, Math.min(wanted, room)) };
}

/** The field `thinking` where its budget would leave no token of the limit for the answer. */
export function withBudgetBelow({ thinking }: Json, limit: number): Json {
  const given = readObject(thinking);
  const { token_budget: budget } = given;
  if (typeof budget !== "number" || budget < limit) return {};
  return { thinking: { ...given, token_budget: Math.max(1, Math.min(budget, limit - 1)) } };
}
