import { type EffortWord, type RuleRow, row } from "../schema";
import { BOUNDS } from "./claude";

const BAILIAN = "https://help.aliyun.com/zh/model-studio/deep-thinking";
const SILICONFLOW = "https://docs.siliconflow.cn/docs/api/chat-completions-post";
const OPENROUTER = "https://openrouter.ai/docs/use-cases/reasoning-tokens";
const QIANFAN = "https://cloud.baidu.com/doc/qianfan-docs/s/Wm95lyynv";
const ARK = "https://www.volcengine.com/docs/82379/1449737";
const EVERY: EffortWord[] = ["minimal", "low", "medium", "high", "xhigh", "max"];

/** Where a provider's word differs from the makers'. */
/** Kinds of text, but not JSON: https://ai.google.dev/gemini-api/docs/document-processing. */
const GOOGLE_FILES = [
  ...["plain", "html", "css", "md", "markdown", "csv", "xml", "rtf", "javascript", "x-python"].map(
    (kind) => `text/${kind}`,
  ),
];

export const PROVIDER_ROWS: readonly RuleRow[] = [
  row("all at OpenRouter", /./, OPENROUTER, { at: ["openrouter"], word: "reasoning", efforts: ["none", ...EVERY] }),
  // Efforts that it does not know become one that it knows there.
  row("DeepSeek", /./, "https://api-docs.deepseek.com/guides/thinking_mode", {
    at: ["deepseek"],
    word: "thinking",
    efforts: EVERY,
  }),
  row("Kimi K3 and later", /^kimi-k(?:[3-9]|\d\d)/, "https://platform.kimi.ai/docs/guide/use-thinking-effort", {
    at: ["moonshot"],
    word: "effort",
  }),
  row("Kimi up to K2.7", /./, "https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model", {
    at: ["moonshot"],
    word: "thinking",
  }),
  row("GLM", /./, "https://docs.bigmodel.cn/cn/guide/capabilities/thinking-mode", { at: ["zhipu"], word: "thinking" }),
  row("MiniMax", /./, "https://platform.minimax.io/docs/api-reference/text-openai-api", {
    at: ["minimax"],
    word: "adaptive",
  }),
  row("all at Model Studio", /./, BAILIAN, {
    at: ["dashscope"],
    word: "enable_thinking",
    efforts: [],
    budget: { min: 1, max: 131072 },
  }),
  row("all at Model Studio", /./, "https://github.com/QwenLM/qwen-code/issues/7659", {
    at: ["dashscope"],
    forcedTools: "without thoughts",
  }),
  row("DeepSeek V4, GLM-5.2 at SiliconFlow", /^deepseek-v4|^glm-5\.2/, SILICONFLOW, {
    at: ["siliconflow"],
    word: "enable_thinking",
    efforts: ["high", "max"],
    budget: { min: 128, max: 32768 },
  }),
  row("all at SiliconFlow", /./, SILICONFLOW, {
    at: ["siliconflow"],
    word: "enable_thinking",
    efforts: [],
    budget: { min: 128, max: 32768 },
  }),
  row("all at Ark", /./, ARK, { at: ["volcengine"], word: "thinking" }),
  row(
    "all at Workers AI but GPT-OSS",
    /^(?!gpt-oss)/,
    "https://github.com/cloudflare/ai/releases/tag/workers-ai-provider%403.1.12",
    { at: ["cloudflare"], word: "chat_template_kwargs" },
  ),
  row(
    "all at Xinference but GPT-OSS",
    /^(?!gpt-oss)/,
    "https://docs.vllm.ai/en/latest/features/reasoning_outputs.html",
    { at: ["xinference"], word: "chat_template_kwargs" },
  ),
  row("ERNIE X1", /^ernie-x/, QIANFAN, { at: ["qianfan"], thinks: "always" }),
  row(
    "ERNIE and Qwen that can think",
    /^qwen3-\d|^ernie-4\.5-(?:turbo-vl-(?:32k-)?preview|vl)|^ernie-5|^ernie-[6-9]/,
    QIANFAN,
    { at: ["qianfan"], thinks: "choice", word: "enable_thinking", efforts: [], thinksInStreams: false },
  ),
  row("ERNIE", /^ernie|^qwen|^bloomz/, QIANFAN, { at: ["qianfan"], thinks: "never" }),
  row("others at Qianfan", /./, QIANFAN, { at: ["qianfan"], word: "thinking", efforts: [] }),
  row(
    "Claude 4.7 at Bedrock",
    /claude-[a-z]+-4[-.]7(?!\d)/,
    "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-adaptive-thinking.html",
    { at: ["bedrock"], off: "" },
  ),
  row(
    "models for which Ollama has no thoughts",
    /^(llama|codellama|llava|mistral|mixtral|codestral|gemma[23]?(:|$)|phi[34](-mini)?(:|$)|qwen(2|2\.5)?(-coder|vl)?(:|$)|command-r|tinyllama|starcoder)/,
    "https://docs.ollama.com/capabilities/thinking",
    { at: ["ollama"], thinks: "never" },
  ),
  row(
    "Command before A Reasoning, Aya",
    /^(command($|-light|-nightly|-r)|command-a-(03|vision|translate)|c4ai-aya|aya|tiny-aya)/,
    "https://docs.cohere.com/docs/reasoning",
    { at: ["cohere"], thinks: "never" },
  ),
];

/** What is usual at a provider, for models of which nothing else is known. */
export const USUAL_ROWS: readonly RuleRow[] = [
  row("others at Model Studio, Ark, OpenRouter", /./, ARK, {
    at: ["dashscope", "volcengine", "openrouter"],
    thinks: "choice",
  }),
  row("others at Mistral", /./, "https://docs.mistral.ai/capabilities/reasoning", {
    at: ["mistral"],
    thinks: "never",
    word: "effort",
    efforts: [],
  }),
  row(
    "models with structured outputs in Converse",
    /claude|qwen|deepseek|mistral|ministral|magistral|gemma|nemotron|minimax|kimi|gpt-oss/,
    "https://docs.aws.amazon.com/bedrock/latest/userguide/structured-output.html",
    { at: ["bedrock"], answerSchema: true, schemaWithout: BOUNDS },
  ),
  row(
    "others at Bedrock",
    /./,
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_DocumentBlock.html",
    {
      at: ["bedrock"],
      files: [
        ...["text/csv", "text/html", "text/plain", "text/markdown", "application/msword", "application/vnd.ms-excel"],
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
      ],
    },
  ),
  row("all at Google AI", /./, "https://ai.google.dev/gemini-api/docs/document-processing", {
    at: ["gemini"],
    files: GOOGLE_FILES,
  }),
  row("Gemini at Vertex AI", /gemini/, "https://ai.google.dev/gemini-api/docs/document-processing", {
    at: ["vertex"],
    files: GOOGLE_FILES,
  }),
  row("all at OpenAI in chat completions", /./, "https://developers.openai.com/api/docs/guides/file-inputs", {
    at: ["openai", "azure", "custom"],
    files: [],
  }),
  row("all at OpenAI", /./, "https://platform.openai.com/docs/api-reference/chat/create", {
    at: ["openai", "custom"],
    developer: "by address",
  }),
  row("all at Azure", /./, "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning", {
    at: ["azure"],
    developer: "developer",
  }),
  row("all at OpenRouter", /./, "https://openrouter.ai/docs/api-reference/chat-completion", {
    at: ["openrouter"],
    developer: "by address",
  }),
  row("all elsewhere", /./, "https://github.com/QuantumNous/new-api/issues/5330", { developer: "system" }),
];
