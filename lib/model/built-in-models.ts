import { pricedModels } from "@/lib/billing/default-prices";

const OPENAI =
  /^(gpt-|chatgpt-|o[1-9]|codex|text-embedding-(3|ada)|text-(ada|babbage|curie|davinci|moderation|search)|omni-|whisper-1|tts-|dall-e|davinci|babbage|computer-use)/;
const CLAUDE = /^claude-/;
const GEMINI = /^(gemini-|gemma-|imagen-|text-embedding-004)/;
const GLM = /^(glm-|chatglm|embedding-3|cogview)/;
const ERNIE = /^(ernie|ERNIE|BLOOMZ|Embedding-V1|bge-large|tao-8k)/;

/** Channel type → which of the priced models its service offers (types as in contract §6.1). */
const offers: ReadonlyMap<number, RegExp> = new Map([
  ...[1, 3, 6, 7, 8, 9, 10, 12, 13, 20].map((type) => [type, OPENAI] as const),
  [2, /^mj_(imagine|variation|reroll|blend|upscale|describe|upload)$/],
  [5, /^(mj_|swap_face)/],
  [11, /^PaLM-2/],
  [14, CLAUDE],
  [15, ERNIE],
  [16, GLM],
  [17, /^(qwen|qwq|text-embedding-v|wanx)/],
  [18, /^SparkDesk/],
  [19, /^(360|embedding-bert|embedding_s1|semantic_)/],
  [23, /^hunyuan/],
  [24, GEMINI],
  [25, /^(moonshot-|kimi-)/],
  [26, GLM],
  [27, /^(sonar|llama-3-sonar)/],
  [31, /^yi-/],
  [33, CLAUDE],
  [34, /^(command|embed-|rerank-)/],
  [35, /^MiniMax-/],
  [36, /^suno_/],
  [38, /^jina-/],
  [41, /^(claude-|gemini-)/],
  [42, /^(mistral-|magistral-|codestral-|devstral-|pixtral-|ministral-|open-mistral)/],
  [43, /^deepseek-/],
  [45, /^doubao-/],
  [46, ERNIE],
  [48, /^grok-/],
]);

/** Channel type → models to start a new channel with. */
export function builtInModelsByType(): Map<number, string[]> {
  const models = pricedModels();
  return new Map([...offers].map(([type, pattern]) => [type, models.filter((model) => pattern.test(model))]));
}

/** Every model this installation knows of by itself. */
export function builtInModels(): string[] {
  return pricedModels();
}
