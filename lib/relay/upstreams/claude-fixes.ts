import { thinkingEdits } from "../dialects/anthropic-messages/thinking";
import type { RequestFix } from "./channel-type";
import { asksToThink, withoutThinking } from "./claude-models";

/** The share of max_tokens that the suffix "-thinking" gives to thinking. */
const BUDGET_SHARE = 0.8;

/** Names that end in "-thinking" (contract §6.3). */
export const claudeThinking: RequestFix = (json, model) => {
  if (!asksToThink(model)) return {};
  const name = json.model === undefined ? {} : { model: withoutThinking(model) };
  return { ...name, ...thinkingEdits(json, model, BUDGET_SHARE) };
};

/** Claude on Vertex AI: the path says the model, and the body the version. There are no tiers. */
export const vertexClaude: RequestFix = (json, model) => ({
  ...claudeThinking(json, model),
  model: undefined,
  service_tier: undefined,
  anthropic_version: "vertex-2023-10-16",
});
