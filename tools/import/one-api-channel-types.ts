import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";

/** The type here, and the address where one-api's type has one of its own. */
export type KnownType = { type: number; baseUrl: string };

const { openai, anthropic } = CHANNEL_TYPE;
const as = (type: number, baseUrl = ""): KnownType => ({ type, baseUrl });
/** Upstreams that speak OpenAI's format and have no type of their own here. */
const openaiAt = (baseUrl: string): KnownType => as(openai, baseUrl);

/**
 * one-api numbers its channel types in an order of its own; the first entry is its type 1. Null = Weir does not speak it. The
 * later ones are those of its well-known fork.
 */
const TYPES: readonly (KnownType | null)[] = [
  as(openai),
  openaiAt("https://oa.api2d.net"),
  as(CHANNEL_TYPE.azure),
  openaiAt("https://api.closeai-proxy.xyz"),
  openaiAt("https://api.openai-sb.com"),
  as(CHANNEL_TYPE.openaiMax),
  as(CHANNEL_TYPE.ohMyGpt),
  // "Custom": an address in front of OpenAI's paths, and not a whole URL as here.
  openaiAt(""),
  as(CHANNEL_TYPE.ails),
  as(CHANNEL_TYPE.aiProxy),
  as(CHANNEL_TYPE.palm),
  as(CHANNEL_TYPE.api2gpt),
  as(CHANNEL_TYPE.aigc2d),
  as(anthropic),
  as(CHANNEL_TYPE.ernie),
  // Its one type for Zhipu speaks the fourth version with every model of today.
  as(CHANNEL_TYPE.zhipu),
  as(CHANNEL_TYPE.dashscope),
  as(CHANNEL_TYPE.spark),
  as(CHANNEL_TYPE.ai360),
  as(CHANNEL_TYPE.openrouter),
  as(CHANNEL_TYPE.aiProxyLibrary),
  as(CHANNEL_TYPE.fastgpt),
  as(CHANNEL_TYPE.hunyuan),
  as(CHANNEL_TYPE.gemini),
  as(CHANNEL_TYPE.moonshot),
  openaiAt("https://api.baichuan-ai.com"),
  as(CHANNEL_TYPE.minimax),
  as(CHANNEL_TYPE.mistral),
  openaiAt("https://api.groq.com/openai"),
  as(CHANNEL_TYPE.ollama),
  as(CHANNEL_TYPE.lingyiwanwu),
  openaiAt("https://api.stepfun.com"),
  as(CHANNEL_TYPE.bedrock),
  as(CHANNEL_TYPE.coze),
  as(CHANNEL_TYPE.cohere),
  as(CHANNEL_TYPE.deepseek),
  as(CHANNEL_TYPE.cloudflare),
  null,
  openaiAt("https://api.together.xyz"),
  as(CHANNEL_TYPE.volcengine),
  openaiAt("https://api.novita.ai/v3/openai"),
  as(CHANNEL_TYPE.vertex),
  null,
  as(CHANNEL_TYPE.siliconflow),
  as(CHANNEL_TYPE.xai),
  null,
  as(CHANNEL_TYPE.qianfan),
  openaiAt("https://spark-api-open.xf-yun.com"),
  as(CHANNEL_TYPE.dashscope),
  openaiAt(""),
  openaiAt("https://generativelanguage.googleapis.com/v1beta/openai"),
  as(anthropic),
];

/** Null = a type that Weir does not have. */
export function fromOneApi(type: number): KnownType | null {
  return TYPES[type - 1] ?? null;
}
