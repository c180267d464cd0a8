/** What a count of an OpenAI-shaped usage object is. */
export type UsageCount =
  | "prompt"
  | "completion"
  | "total"
  | "cached"
  | "written"
  | "thoughts"
  | "soundIn"
  | "soundOut"
  | "cited"
  | "searches";

/** The objects within a usage object that hold counts, under each of their names; "usage" is the object itself. */
export const USAGE_HOLDERS = {
  usage: [],
  prompt: ["prompt_tokens_details", "input_tokens_details", "input_token_details", "prompt_token_details"],
  completion: ["completion_tokens_details", "output_tokens_details", "output_token_details"],
  tools: ["server_tool_use"],
} as const satisfies Record<string, readonly string[]>;

export type UsageHolder = keyof typeof USAGE_HOLDERS;

/**
 * Where upstreams put a count. `place`: whether the tokens are within those of the prompt or the completion, or beside
 * them; "either" = some upstreams do the one and some the other, and the other counts show which. `seen`: who sends it, and where that can be read.
 */
export type UsageForm = {
  count: UsageCount;
  name: string;
  holders: readonly UsageHolder[];
  place: "whole" | "within" | "beside" | "either";
  seen: Readonly<Record<string, string>>;
};

const VERCEL = "https://github.com/vercel/ai/blob/main/packages";
const OPENAI = "https://github.com/openai/openai-python/blob/main/src/openai/types";
const MISTRAL = "https://docs.rs/rig-core/latest/rig_core/providers/mistral/client/struct.Usage.html";
const PERPLEXITY = "https://schemas.apis.io/schemas/perplexity/perplexity-usageinfo/";
const NEW_API = "https://github.com/QuantumNous/new-api/issues/6212";
const LITELLM = "https://github.com/BerriAI/litellm/issues/15056";
const XAI = "https://docs.x.ai/developers/advanced-api-usage/prompt-caching/usage-and-pricing";
const OPENROUTER = "https://openrouter.heycz.cc/docs/use-cases/usage-accounting";
const ARK = "http://doc.302.ai/api-185706884";
const SPENT = "https://github.com/NousResearch/hermes-agent/pull/14823";

/** Every published form of a count, one row each. A row is all that a further form takes. */
export const USAGE_FORMS: readonly UsageForm[] = [
  {
    count: "prompt",
    name: "prompt_tokens",
    holders: ["usage"],
    place: "whole",
    seen: {
      OpenAI: `${OPENAI}/completion_usage.py`,
      StepFun: "https://platform.stepfun.ai/docs/en/api-reference/chat/object",
    },
  },
  {
    count: "prompt",
    name: "input_tokens",
    holders: ["usage"],
    place: "whole",
    seen: { "OpenAI Responses": `${OPENAI}/responses/response_usage.py`, "new-api": NEW_API },
  },
  {
    count: "completion",
    name: "completion_tokens",
    holders: ["usage"],
    place: "whole",
    seen: {
      OpenAI: `${OPENAI}/completion_usage.py`,
      MiniMax: "https://platform.minimax.io/docs/api-reference/text-post",
    },
  },
  {
    count: "completion",
    name: "output_tokens",
    holders: ["usage"],
    place: "whole",
    seen: { "OpenAI Responses": `${OPENAI}/responses/response_usage.py`, "new-api": NEW_API },
  },
  {
    count: "total",
    name: "total_tokens",
    holders: ["usage"],
    place: "whole",
    seen: { OpenAI: `${OPENAI}/completion_usage.py`, xAI: XAI },
  },
  {
    count: "cached",
    name: "cached_tokens",
    holders: ["prompt", "usage"],
    place: "either",
    seen: {
      OpenAI: `${OPENAI}/completion_usage.py`,
      Moonshot: `${VERCEL}/moonshotai/src/__fixtures__/moonshotai-usage-live.json`,
      StepFun: "https://platform.stepfun.ai/docs/en/api-reference/chat/object",
      xAI: XAI,
      Groq: "https://github.com/vercel/ai/pull/13192",
      Cerebras: `${VERCEL}/cerebras/src/fixtures/cerebras-structured-output-tools.1.json`,
      "Z.ai": "https://github.com/langgenius/dify-plugin-sdks/issues/188",
      Alibaba: "https://nexusflow.hk/docs/api/cache",
      "Volcengine Ark": ARK,
      vLLM: "https://github.com/vllm-project/vllm/pull/44475",
      Fireworks: "https://docs.stigg.io/documentation/ai-agents/providers/fireworks.md",
      OpenRouter: OPENROUTER,
    },
  },
  {
    count: "cached",
    name: "prompt_cache_hit_tokens",
    holders: ["usage"],
    place: "within",
    seen: {
      DeepSeek: `${VERCEL}/deepseek/src/chat/__fixtures__/deepseek-reasoning.json`,
      SiliconFlow: "https://mixrouter.apifox.cn/minimax-m2-399337991e0",
    },
  },
  {
    count: "cached",
    name: "cache_read_input_tokens",
    holders: ["usage", "prompt"],
    place: "either",
    seen: { LiteLLM: LITELLM, "Jiekou.AI": "https://jiekou.ai/docs/feature/prompt-caching" },
  },
  {
    count: "cached",
    name: "cache_read_tokens",
    holders: ["usage", "prompt"],
    place: "either",
    seen: {
      "Hermes Agent": SPENT,
      Letta:
        "https://raw.githubusercontent.com/api-evangelist/letta/refs/heads/main/json-schema/letta-usagestatisticsprompttokendetails-schema.json",
    },
  },
  { count: "cached", name: "num_cached_tokens", holders: ["usage"], place: "either", seen: { Mistral: MISTRAL } },
  {
    count: "written",
    name: "cache_write_tokens",
    holders: ["prompt", "usage"],
    place: "either",
    seen: { OpenAI: `${OPENAI}/responses/response_usage.py`, OpenRouter: OPENROUTER, "Hermes Agent": SPENT },
  },
  {
    count: "written",
    name: "cache_creation_input_tokens",
    holders: ["usage", "prompt"],
    place: "either",
    seen: {
      LiteLLM: LITELLM,
      "Vercel AI Gateway": `${VERCEL}/xai/src/__fixtures__/issue-19639-generate.json`,
      Alibaba: "https://nexusflow.hk/docs/api/cache",
      "Jiekou.AI": "https://jiekou.ai/docs/feature/prompt-caching",
    },
  },
  {
    count: "written",
    name: "cache_creation_tokens",
    holders: ["prompt", "usage"],
    place: "either",
    seen: {
      Letta:
        "https://raw.githubusercontent.com/api-evangelist/letta/refs/heads/main/json-schema/letta-usagestatisticsprompttokendetails-schema.json",
    },
  },
  {
    count: "written",
    name: "cached_creation_tokens",
    holders: ["prompt", "usage"],
    place: "either",
    seen: {
      "new-api": "https://github.com/QuantumNous/new-api/tree/main/relay/channel/openai",
    },
  },
  {
    count: "thoughts",
    name: "reasoning_tokens",
    holders: ["completion", "usage"],
    place: "either",
    seen: {
      OpenAI: `${OPENAI}/completion_usage.py`,
      xAI: "https://github.com/Wei-Shaw/sub2api/issues/5771",
      Moonshot: `${VERCEL}/moonshotai/src/__fixtures__/issue-19311-kimi-k3-negative-usage.json`,
      CLIProxyAPI: "https://github.com/router-for-me/CLIProxyAPI/issues/5733",
      MiniMax: "https://platform.minimax.io/docs/api-reference/text-post",
      "Volcengine Ark": ARK,
      SGLang: "https://open.vnet.com/444999993e0",
      Perplexity: PERPLEXITY,
    },
  },
  {
    count: "soundIn",
    name: "audio_tokens",
    holders: ["prompt"],
    place: "either",
    seen: { OpenAI: "https://github.com/m1guelpf/swift-realtime-openai/pull/35", Mistral: MISTRAL },
  },
  {
    count: "soundOut",
    name: "audio_tokens",
    holders: ["completion"],
    place: "within",
    seen: { OpenAI: `${OPENAI}/completion_usage.py` },
  },
  {
    count: "cited",
    name: "citation_tokens",
    holders: ["usage"],
    place: "beside",
    seen: { Perplexity: PERPLEXITY },
  },
  {
    count: "searches",
    name: "num_search_queries",
    holders: ["usage"],
    place: "beside",
    seen: { Perplexity: PERPLEXITY },
  },
  {
    count: "searches",
    name: "web_search_requests",
    holders: ["tools"],
    place: "beside",
    seen: { OpenRouter: "https://openrouter.ai/docs/guides/features/server-tools/web-search" },
  },
];
