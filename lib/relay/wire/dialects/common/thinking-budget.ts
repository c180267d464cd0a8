import type { Thinking } from "../../canonical/request";

export type Effort = Extract<Thinking, { type: "effort" }>["effort"];

/** Thinking budget in tokens for each effort, in ascending order. */
export const BUDGET_BY_EFFORT: Readonly<Record<Effort, number>> = {
  minimal: 1_024,
  low: 1_280,
  medium: 2_048,
  high: 4_096,
  xhigh: 8_192,
};

const EFFORTS = Object.keys(BUDGET_BY_EFFORT) as Effort[];

export function isEffort(value: unknown): value is Effort {
  return EFFORTS.includes(value as Effort);
}

/** The effort with the largest budget that does not exceed `tokens`. */
export function effortOf(tokens: number): Effort {
  return EFFORTS.findLast((effort) => BUDGET_BY_EFFORT[effort] <= tokens) ?? "minimal";
}

/** For upstreams that know three efforts. */
export function threeEffort(thinking: Exclude<Thinking, { type: "off" }>): "low" | "medium" | "high" {
  const effort = thinking.type === "effort" ? thinking.effort : effortOf(thinking.tokens);
  if (effort === "minimal") return "low";
  return effort === "xhigh" ? "high" : effort;
}
