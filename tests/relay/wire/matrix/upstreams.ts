import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";

/** The channel that a wire format is tried with. */
export type UpstreamOf = {
  type: number;
  key?: string;
  other?: string;
  model?: string;
  setting?: string;
  isWebSocket?: true;
};

/** By wire format. `model`: what the model's name begins with, where the format depends on it. */
export const UPSTREAMS: Readonly<Record<string, UpstreamOf>> = {
  "openai-chat": { type: CHANNEL_TYPE.openai },
  "openai-responses": { type: CHANNEL_TYPE.openai, setting: '{"speaks_responses":true}', model: "o3-pro-" },
  "anthropic-messages": { type: CHANNEL_TYPE.anthropic },
  "gemini-generate-content": { type: CHANNEL_TYPE.gemini },
  "bedrock-converse": { type: CHANNEL_TYPE.bedrock, key: "AKID|secret|us-east-1" },
  "bedrock-invoke": { type: CHANNEL_TYPE.bedrock, key: "AKID|secret|us-east-1", model: "claude-" },
  cohere: { type: CHANNEL_TYPE.cohere },
  ollama: { type: CHANNEL_TYPE.ollama },
  "workers-ai": { type: CHANNEL_TYPE.cloudflare, other: "account", model: "run/" },
  ernie: { type: CHANNEL_TYPE.ernie, key: "key|secret" },
  hunyuan: { type: CHANNEL_TYPE.hunyuan, key: "1|id|secret" },
  dashscope: { type: CHANNEL_TYPE.dashscope, model: "qwen-audio-" },
  spark: { type: CHANNEL_TYPE.spark, key: "appid|secret|key", other: "v3.5", isWebSocket: true },
  "zhipu-v3": { type: CHANNEL_TYPE.zhipuV3 },
  dify: { type: CHANNEL_TYPE.dify },
  coze: { type: CHANNEL_TYPE.coze, other: "7379462189365198898" },
  "ai-proxy-library": { type: CHANNEL_TYPE.aiProxyLibrary, other: "123456" },
};
