import { deepseekBalance, moonshotBalance } from "../balance-readers";
import { deepseek, moonshot } from "../fixes/message-fixes";
import { deepseekPrefill, mistralPrefill, moonshotPrefill } from "../fixes/prefills";
import { clampTopP, mistral, xai } from "../fixes/request-fixes";
import { thinkingAt } from "../fixes/thinking-fix";
import { fixedPath, underPrefix } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { openaiLike } from "./define-row";
import { COMPLETIONS, IMAGES, MISTRAL_EMBEDDINGS, PLAIN_EMBEDDINGS } from "./servings";

/** Model makers whose API is OpenAI-compatible. */
export const modelMakerRows = [
  openaiLike({
    id: CHANNEL_TYPE.ai360,
    name: { en: "360", zh: "360 智脑" },
    hue: "blue",
    position: 240,
    baseUrl: "https://api.360.cn",
    serves: { embeddings: PLAIN_EMBEDDINGS },
    models: /^(360|embedding-bert|embedding_s1|semantic_)/,
  }),
  openaiLike({
    id: CHANNEL_TYPE.moonshot,
    name: "Moonshot",
    hue: "green",
    position: 220,
    baseUrl: "https://api.moonshot.cn",
    quirks: { fix: moonshot, prefill: moonshotPrefill },
    models: /^(moonshot-|kimi-)/,
    balance: moonshotBalance,
  }),
  openaiLike({
    id: CHANNEL_TYPE.perplexity,
    name: "Perplexity",
    hue: "grey",
    position: null,
    baseUrl: "https://api.perplexity.ai",
    url: underPrefix(""),
    quirks: { fix: clampTopP(0, 0.99) },
    models: /^(sonar|llama-3-sonar)/,
  }),
  openaiLike({
    id: CHANNEL_TYPE.lingyiwanwu,
    name: { en: "01.AI Yi", zh: "零一万物" },
    hue: "green",
    position: 260,
    baseUrl: "https://api.lingyiwanwu.com",
    models: /^yi-/,
  }),
  openaiLike({
    id: CHANNEL_TYPE.minimax,
    name: "MiniMax",
    hue: "green",
    position: 270,
    baseUrl: "https://api.minimax.chat",
    url: fixedPath("/v1/text/chatcompletion_v2"),
    quirks: { fix: thinkingAt("minimax") },
    models: /^MiniMax-/,
  }),
  openaiLike({
    id: CHANNEL_TYPE.mistral,
    name: "Mistral AI",
    hue: "blue",
    position: 310,
    baseUrl: "https://api.mistral.ai",
    serves: { embeddings: MISTRAL_EMBEDDINGS },
    quirks: { fix: mistral, prefill: mistralPrefill },
    models: /^(mistral-|magistral-|codestral-|devstral-|pixtral-|ministral-|open-mistral)/,
  }),
  openaiLike({
    id: CHANNEL_TYPE.deepseek,
    name: "DeepSeek",
    hue: "blue",
    position: 120,
    baseUrl: "https://api.deepseek.com",
    serves: { completions: { ...COMPLETIONS, url: fixedPath("/beta/completions") } },
    quirks: { fix: deepseek, prefill: deepseekPrefill },
    models: /^deepseek-/,
    balance: deepseekBalance,
  }),
  openaiLike({
    id: CHANNEL_TYPE.xai,
    name: "xAI",
    hue: "blue",
    position: 370,
    baseUrl: "https://api.x.ai",
    // Contract §6.2: it takes no sizes, nor qualities or styles.
    serves: { images: { ...IMAGES, fix: () => ({ size: undefined, quality: undefined, style: undefined }) } },
    quirks: {
      reportsStreamUsage: true,
      fix: xai,
      speaksResponses: { only: (model) => model.includes("-multi-agent") },
    },
    models: /^grok-/,
  }),
];
