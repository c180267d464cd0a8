import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";

export type Provider = {
  type: number;
  /** Where the type here has another address, or none. */
  baseUrl?: string;
  /** Ids of the extra field and of what the key is made of, in litellm_params. */
  other?: string;
  keyParts?: readonly string[];
};

const { openai } = CHANNEL_TYPE;
const at = (baseUrl: string): Provider => ({ type: openai, baseUrl });

/** By what is before the slash in litellm_params.model. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  openai: { type: openai },
  text_completion_openai: { type: openai },
  hosted_vllm: { type: openai },
  openai_like: { type: openai },
  litellm_proxy: { type: openai },
  azure: { type: CHANNEL_TYPE.azure, other: "api_version" },
  anthropic: { type: CHANNEL_TYPE.anthropic },
  gemini: { type: CHANNEL_TYPE.gemini },
  vertex_ai: { type: CHANNEL_TYPE.vertex, other: "vertex_location", keyParts: ["vertex_credentials"] },
  bedrock: { type: CHANNEL_TYPE.bedrock, keyParts: ["aws_access_key_id", "aws_secret_access_key", "aws_region_name"] },
  cohere: { type: CHANNEL_TYPE.cohere },
  cohere_chat: { type: CHANNEL_TYPE.cohere },
  mistral: { type: CHANNEL_TYPE.mistral },
  deepseek: { type: CHANNEL_TYPE.deepseek },
  xai: { type: CHANNEL_TYPE.xai },
  openrouter: { type: CHANNEL_TYPE.openrouter },
  perplexity: { type: CHANNEL_TYPE.perplexity },
  moonshot: { type: CHANNEL_TYPE.moonshot },
  dashscope: { type: CHANNEL_TYPE.dashscope },
  volcengine: { type: CHANNEL_TYPE.volcengine },
  ollama: { type: CHANNEL_TYPE.ollama },
  ollama_chat: { type: CHANNEL_TYPE.ollama },
  jina_ai: { type: CHANNEL_TYPE.jina },
  groq: at("https://api.groq.com/openai"),
  together_ai: at("https://api.together.xyz"),
  fireworks_ai: at("https://api.fireworks.ai/inference"),
  deepinfra: at("https://api.deepinfra.com/v1/openai"),
  nvidia_nim: at("https://integrate.api.nvidia.com"),
  cerebras: at("https://api.cerebras.ai"),
};

/** Without a slash, LiteLLM knows a model by its name. */
const BY_NAME: readonly [RegExp, string][] = [
  [/^(gpt-|o\d|chatgpt-|text-embedding-|dall-e|whisper|tts-)/, "openai"],
  [/^claude/, "anthropic"],
  [/^mistral/, "mistral"],
  [/^command/, "cohere"],
];

export function splitModel(model: string, given: unknown): { provider: string; name: string } {
  const slash = model.indexOf("/");
  const prefix = slash === -1 ? "" : model.slice(0, slash);
  if (Object.hasOwn(PROVIDERS, prefix)) return { provider: prefix, name: model.slice(slash + 1) };
  if (typeof given === "string") return { provider: given, name: model };
  return { provider: prefix || (BY_NAME.find(([pattern]) => pattern.test(model))?.[1] ?? ""), name: model };
}
