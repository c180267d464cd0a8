import { aigc2dGrants, aiProxyPoints, api2gptGrants, openrouterCredits } from "../balance-readers";
import type { BalanceReader } from "../channel-type";
import { effortsAt } from "../fixes/efforts-at";
import { inTurn } from "../fixes/message-fixes";
import { thinkingAt } from "../fixes/thinking-fix";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { openaiLike } from "./define-row";
import { OPENAI_MODELS } from "./openai-models";
import { ALL_LIKE_OPENAI, COMPLETIONS, EMBEDDINGS } from "./servings";

/** Legacy services, for existing channels only; new channels use the OpenAI type with another base URL. */
function former(id: number, name: string, baseUrl: string, balance: BalanceReader | null = null) {
  return openaiLike({
    id,
    name,
    hue: "grey",
    position: null,
    baseUrl,
    serves: ALL_LIKE_OPENAI,
    models: OPENAI_MODELS,
    balance,
  });
}

export const resellerRows = [
  former(CHANNEL_TYPE.openaiMax, "OpenAIMax", "https://api.openaimax.com"),
  former(CHANNEL_TYPE.ohMyGpt, "OhMyGPT", "https://api.ohmygpt.com"),
  former(CHANNEL_TYPE.ails, "AILS", "https://api.caipacity.com"),
  former(CHANNEL_TYPE.aiProxy, "AI Proxy", "https://api.aiproxy.io", aiProxyPoints),
  former(CHANNEL_TYPE.api2gpt, "API2GPT", "https://api.api2gpt.com", api2gptGrants),
  former(CHANNEL_TYPE.aigc2d, "AIGC2D", "https://api.aigc2d.com", aigc2dGrants),
  openaiLike({
    id: CHANNEL_TYPE.openrouter,
    name: "OpenRouter",
    hue: "green",
    position: 230,
    baseUrl: "https://openrouter.ai/api",
    serves: { completions: COMPLETIONS, embeddings: EMBEDDINGS },
    quirks: {
      headers: ["http-referer", "https://github.com/weir-gateway/weir", "x-title", "Weir"],
      fix: inTurn(thinkingAt("openrouter"), effortsAt("openrouter")),
      speaksResponses: {},
    },
    models: OPENAI_MODELS,
    balance: openrouterCredits,
  }),
];
