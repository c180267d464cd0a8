import { maxTokensOf, thinkingEdits } from "../dialects/anthropic-messages/thinking";
import type { RequestFix } from "./channel-type";
import { asksToThink, withoutThinking } from "./claude-models";

/** Names that end in "-thinking" (contract §6.3). */
export const claudeThinking: RequestFix = (json, name, options) => {
  if (!asksToThink(name, options)) return {};
  const model = withoutThinking(name, options);
  const share = options["claude.thinking_adapter_budget_tokens_percentage"];
  const usual = maxTokensOf(model, options["claude.default_max_tokens"]);
  return { ...(json.model === undefined ? {} : { model }), ...thinkingEdits(json, model, share, usual) };
};

/** Claude on Vertex AI: the path says the model, and the body the version. There are no tiers. */
export const vertexClaude: RequestFix = (json, model, options) => ({
  ...claudeThinking(json, model, options),
  model: undefined,
  service_tier: undefined,
  anthropic_version: "vertex-2023-10-16",
});
