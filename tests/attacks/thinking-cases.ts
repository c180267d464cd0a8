// Models at providers of every kind, for thinking-words.test.ts.
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Maker } from "@/lib/testing/strict-upstream/makers";

/** `always`: it thinks whatever it is told; `never`: it does not. */
export type Case = { type: number; maker: Maker; model: string; is?: "always" | "never" };
const at = (type: number, maker: Maker, models: string, always = "", never = ""): Case[] => [
  ...models.split(" ").map((model): Case => ({ type, maker, model })),
  ...always.split(" ").flatMap((model): Case[] => (model === "" ? [] : [{ type, maker, model, is: "always" }])),
  ...never.split(" ").flatMap((model): Case[] => (model === "" ? [] : [{ type, maker, model, is: "never" }])),
];

export const CASES: readonly Case[] = [
  ...at(
    ...([
      CHANNEL_TYPE.openai,
      "openai",
      "gpt-5.1 gpt-5.2 gpt-5.4-mini gpt-5.5 gpt-5.7 gpt-6 gpt-6-luna gpt-7-mini",
    ] as const),
    ...["gpt-5 gpt-6-astra gpt-6.1-sol o3", "gpt-4.1"],
  ),
  ...at(CHANNEL_TYPE.azure, "openai", "gpt-5.2 gpt-6-luna"),
  ...at(
    CHANNEL_TYPE.deepseek,
    "deepseek",
    "deepseek-v4-pro deepseek-chat deepseek-flash deepseek-v5 deepseek-reasoner",
  ),
  ...at(
    CHANNEL_TYPE.moonshot,
    "moonshot",
    "kimi-k2.5 kimi-k2.6",
    "kimi-k3 kimi-k4",
    "moonshot-v1-8k kimi-k2-0905-preview",
  ),
  ...at(CHANNEL_TYPE.zhipu, "zhipu", "glm-4.5 glm-4.6 glm-5 glm-5.2", "glm-5.3 glm-6", "glm-4-plus"),
  ...at(
    CHANNEL_TYPE.dashscope,
    "dashscope",
    "qwen-plus qwen3-max qwen3.5-plus qwen3-32b qwen4 deepseek-v4-flash glm-5",
  ),
  ...at(
    ...([CHANNEL_TYPE.siliconflow, "siliconflow", "Qwen/Qwen3-8B deepseek-ai/DeepSeek-V4 zai-org/GLM-4.6"] as const),
    ...["", "Qwen/Qwen2.5-7B-Instruct"],
  ),
  ...at(
    CHANNEL_TYPE.volcengine,
    "volcengine",
    "doubao-seed-1-6-250615 doubao-seed-2-0-pro ep-20260101 deepseek-v3-2",
    "",
    "doubao-pro-32k",
  ),
  ...at(
    ...([
      CHANNEL_TYPE.openrouter,
      "openrouter",
      "deepseek/deepseek-v4 openai/gpt-5.2 anthropic/claude-opus-5 x/unknown",
    ] as const),
    "anthropic/claude-opus-5.5 openai/gpt-6-astra moonshotai/kimi-k3",
  ),
  ...at(
    CHANNEL_TYPE.qianfan,
    "qianfan",
    "deepseek-v3.2 kimi-k2.5 glm-5 qwen3-32b ernie-5.0-thinking-preview",
    "",
    "ernie-4.0-8k",
  ),
  ...at(CHANNEL_TYPE.minimax, "minimax", "MiniMax-M3", "MiniMax-M3.1-Flash MiniMax-M4"),
  ...at(CHANNEL_TYPE.xai, "xai", "grok-4.3", "grok-4.5 grok-3-mini", "grok-3"),
  ...at(CHANNEL_TYPE.mistral, "mistral", "mistral-small-latest", "", "mistral-nemo"),
  ...at(
    ...([
      CHANNEL_TYPE.anthropic,
      "anthropic",
      "claude-opus-4-5 claude-opus-4-6 claude-opus-5 claude-sonnet-5-5 claude-haiku-5-5",
    ] as const),
    "claude-opus-5-5 claude-fable-5-1 claude-mythos-5 claude-opus-6",
  ),
  // Anthropic's format is served by others, too.
  ...at(CHANNEL_TYPE.anthropic, "anthropic", "deepseek-v4-pro glm-4.6 kimi-k2.6"),
  ...at(CHANNEL_TYPE.bedrock, "anthropic", "claude-opus-4-5 claude-opus-5 claude-sonnet-5-5", "claude-opus-5-5"),
  ...at(CHANNEL_TYPE.bedrock, "converse", "nova-2-lite-v1:0", "openai.gpt-oss-120b-1:0"),
  ...at(CHANNEL_TYPE.vertex, "anthropic", "claude-opus-5 claude-sonnet-5-5", "claude-opus-5-5"),
  ...at(CHANNEL_TYPE.vertex, "gemini", "gemini-2.5-flash", "gemini-2.5-pro gemini-3-pro"),
  ...at(
    CHANNEL_TYPE.gemini,
    "gemini",
    "gemini-2.5-flash",
    "gemini-2.5-pro gemini-3-flash gemini-3.8-flash gemini-4-pro",
  ),
  ...at(CHANNEL_TYPE.ollama, "ollama", "qwen3:8b", "gpt-oss:20b"),
  ...at(CHANNEL_TYPE.cohere, "cohere", "command-a-reasoning-08-2025"),
  ...at(CHANNEL_TYPE.hunyuan, "hunyuan", "hunyuan-a13b"),
];

export const nameOf = ({ type, model }: Case): string => `t${type}-${model.replaceAll("/", "-")}`;

/** Which format a path is of. */
export const PATHS: readonly (readonly [RegExp, string])[] = [
  [/\/chat\/completions|chatcompletion_v2/, "openai-chat"],
  [/\/responses/, "openai-responses"],
  [/\/invoke/, "bedrock-invoke"],
  [/\/converse/, "bedrock-converse"],
  [/\/messages|rawPredict/i, "anthropic-messages"],
  [/generateContent/i, "gemini-generate-content"],
  [/\/api\/chat/, "ollama"],
  [/\/v2\/chat/, "cohere"],
  [/.*/, "hunyuan"],
];
