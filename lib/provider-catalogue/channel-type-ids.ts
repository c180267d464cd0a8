import { PROVIDERS, type Provider } from "@/lib/model-rules/schema";

/** Channel types by name. Other code uses this name or the type's facts, never the number. */
export const CHANNEL_TYPE = {
  openai: 1,
  midjourney: 2,
  azure: 3,
  ollama: 4,
  midjourneyPlus: 5,
  openaiMax: 6,
  ohMyGpt: 7,
  custom: 8,
  ails: 9,
  aiProxy: 10,
  palm: 11,
  api2gpt: 12,
  aigc2d: 13,
  anthropic: 14,
  ernie: 15,
  zhipuV3: 16,
  dashscope: 17,
  spark: 18,
  ai360: 19,
  openrouter: 20,
  aiProxyLibrary: 21,
  fastgpt: 22,
  hunyuan: 23,
  gemini: 24,
  moonshot: 25,
  zhipu: 26,
  perplexity: 27,
  lingyiwanwu: 31,
  bedrock: 33,
  cohere: 34,
  minimax: 35,
  suno: 36,
  dify: 37,
  jina: 38,
  cloudflare: 39,
  siliconflow: 40,
  vertex: 41,
  mistral: 42,
  deepseek: 43,
  moka: 44,
  volcengine: 45,
  qianfan: 46,
  xinference: 47,
  xai: 48,
  coze: 49,
  kling: 50,
  arkVideo: 54,
  soraVideo: 55,
} as const;

export type ChannelTypeName = keyof typeof CHANNEL_TYPE;

const names: ReadonlyMap<number, string> = new Map(Object.entries(CHANNEL_TYPE).map(([name, id]) => [id, name]));

/** The name of a channel type's provider in the model rules; undefined = they have none. */
export function providerOf(type: number): Provider | undefined {
  const name = names.get(type);
  return PROVIDERS.find((provider) => provider === name);
}
