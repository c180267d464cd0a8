import { type RuleRow, row } from "../schema";

const DEEPSEEK = "https://api-docs.deepseek.com/guides/thinking_mode";
const KIMI = "https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model";
const KIMI_EFFORT = "https://platform.kimi.ai/docs/guide/use-thinking-effort";
const GLM = "https://docs.bigmodel.cn/cn/guide/capabilities/thinking-mode";
const QWEN = "https://help.aliyun.com/zh/model-studio/deep-thinking";
const ARK = "https://www.volcengine.com/docs/82379/1449737";
const MINIMAX = "https://platform.minimax.io/docs/api-reference/text-openai-api";
const GROK = "https://docs.x.ai/developers/model-capabilities/text/reasoning";
const MISTRAL = "https://docs.mistral.ai/capabilities/reasoning";
const PENALTIES = ["presence_penalty", "frequency_penalty"];
const KIMI_FIXED = ["temperature", "top_p", ...PENALTIES];

/** Whether and how much models of other makers think. Which field says it depends on the provider. */
export const OTHER_ROWS: readonly RuleRow[] = [
  row("DeepSeek", /^deepseek/, "https://github.com/deepseek-ai/DeepSeek-V3/issues/1376", {
    forcedTools: "without thoughts",
  }),
  row("Kimi K2 Thinking, K2.5 to K2.7", /^kimi-(?:k2-thinking|thinking|k2\.[5-9])/, KIMI, {
    forcedTools: "without thoughts",
  }),
  row("DeepSeek R1", /^deepseek[-.](?:r1|ai-deepseek-r1)/, QWEN, { thinks: "always" }),
  row("DeepSeek V3.1, V3.2", /^deepseek[-.]v?3[.-][12]/, DEEPSEEK, {
    thinks: "choice",
    thinksUnasked: false,
    thoughtsBack: "calls",
  }),
  row("DeepSeek Chat", /^deepseek-chat/, DEEPSEEK, { thinks: "choice", thinksUnasked: false, thoughtsBack: "calls" }),
  row(
    "DeepSeek V2, V3, Coder, VL, OCR",
    /^deepseek[-.](?:v?2|v?3(?![.\d])|coder|vl|ocr|prover|llm|math)/,
    "https://api-docs.deepseek.com/updates",
    { thinks: "never", thinksUnasked: false },
  ),
  row("DeepSeek V4 and later", /^deepseek/, DEEPSEEK, { thinks: "choice", thinksUnasked: true, thoughtsBack: "calls" }),
  row("Kimi K2 Thinking", /^kimi-(?:k2-thinking|thinking)/, KIMI, { thinks: "always", thoughtsBack: "calls" }),
  row("Kimi K2.5, K2.6", /^kimi-k2\.[56]/, KIMI, {
    thinks: "choice",
    thinksUnasked: true,
    thoughtsBack: "calls",
    sampling: KIMI_FIXED,
  }),
  row("Kimi K2.7", /^kimi-k2\.[7-9]/, KIMI, { thinks: "always", thoughtsBack: "calls", sampling: KIMI_FIXED }),
  row("Kimi K3 and later", /^kimi-k(?:[3-9]|\d\d)/, KIMI_EFFORT, {
    thinks: "always",
    efforts: ["low", "high", "max"],
    thoughtsBack: "all",
    sampling: KIMI_FIXED,
  }),
  row("Kimi K2, Moonshot V1", /^kimi|^moonshot/, KIMI, { thinks: "never" }),
  row("GLM-Z1, GLM-4.1V Thinking", /^glm-(?:z1|4\.1v)/, GLM, { thinks: "always" }),
  row("GLM-5.3 and later", /^glm-(?:5\.[3-9]|5\.\d\d|[6-9]|\d\d)/, "https://docs.z.ai/guides/llm/glm-5.3", {
    thinks: "always",
    thinksUnasked: true,
    efforts: ["low", "high", "max"],
  }),
  row("GLM-4.5 to 5.2", /^glm-(?:4\.[5-9]|5)/, GLM, { thinks: "choice", thinksUnasked: true }),
  row("GLM before 4.5", /^(?:glm|chatglm|codegeex)/, GLM, { thinks: "never" }),
  row("Qwen for thinking", /^(?:qwq|qvq|tongyi-qwq|qwen\S*-thinking)/, QWEN, { thinks: "always" }),
  row(
    "Qwen that answers at once",
    /^qwen(?:1|2|-(?:max|long|coder|math|vl|audio|mt|omni|72b|14b|7b)|\S*-(?:instruct|coder|captioner))/,
    QWEN,
    { thinks: "never" },
  ),
  row("Qwen3 of fixed sizes", /^qwen3-\d+(?:\.\d+)?b/, QWEN, {
    thinks: "choice",
    thinksUnasked: true,
    thinksInStreams: true,
  }),
  row("Qwen3.5 and later", /^qwen(?:3\.[5-9]|[4-9])/, QWEN, { thinks: "choice", thinksUnasked: true }),
  row("Qwen3, Qwen Plus, Flash and Turbo", /^qwen/, QWEN, { thinks: "choice", thinksUnasked: false }),
  row("Doubao for thinking", /^doubao-(?:seed-1-6-thinking|1-5-thinking-pro|1\.5-thinking-pro)/, ARK, {
    thinks: "always",
  }),
  row("Doubao Seed 1.8, 2.0 and later", /^doubao-seed-(?:1[-.][89]|code|[2-9])/, ARK, {
    thinks: "choice",
    thinksUnasked: true,
    efforts: ["minimal", "low", "medium", "high"],
  }),
  row("Doubao Seed 1.6, 1.5 Thinking Vision", /^doubao-(?:seed|1[-.]5-thinking)/, ARK, {
    thinks: "choice",
    thinksUnasked: true,
  }),
  row("Doubao before Seed", /^doubao/, ARK, { thinks: "never" }),
  row("MiniMax M3", /^minimax-m3(?![.\d])/, MINIMAX, { thinks: "choice", thinksUnasked: true }),
  row("MiniMax M3.1 and later", /^minimax-m(?:3\.\d|[4-9])/, MINIMAX, {
    thinks: "always",
    thinksUnasked: true,
    efforts: ["low", "medium", "high", "max"],
  }),
  row("MiniMax M1, M2", /^minimax-m/, MINIMAX, { thinks: "always" }),
  row("MiniMax before M1", /^(?:minimax|abab)/, MINIMAX, { thinks: "never" }),
  row("Grok that answers at once", /^grok-(?:2|3(?!-mini)|\S*non-reasoning)/, GROK, {
    thinks: "never",
    word: "effort",
    efforts: [],
    sampling: [],
  }),
  row("Grok 3 Mini", /^grok-3-mini/, GROK, {
    thinks: "always",
    word: "effort",
    efforts: ["low", "high"],
    sampling: PENALTIES,
    limit: "max_completion_tokens",
  }),
  row("Grok 4 to 4.20, Grok Code", /^grok-(?:code|4(?:-\d{4}|-latest|-fast|-1|\.1|\.20|$))/, GROK, {
    thinks: "always",
    word: "effort",
    efforts: [],
    sampling: PENALTIES,
  }),
  row("Grok 4.3", /^grok-4\.[23](?!\d)/, GROK, {
    thinks: "choice",
    thinksUnasked: true,
    word: "effort",
    efforts: ["none", "low", "medium", "high"],
    sampling: PENALTIES,
  }),
  row("Grok 4.5", /^grok-4\.[45](?!\d)/, GROK, {
    thinks: "always",
    word: "effort",
    efforts: ["low", "medium", "high"],
    sampling: PENALTIES,
  }),
  row("Grok 4.6 and later", /^grok-(?:4\.|[5-9]|\d\d)/, GROK, {
    thinks: "always",
    word: "effort",
    efforts: ["low", "medium", "high", "xhigh"],
    sampling: PENALTIES,
  }),
  row("Mistral Small, Medium and Large of 2026", /^mistral-(?:small|medium|large)-(?:latest|2[6-9]\d\d)/, MISTRAL, {
    thinks: "choice",
    thinksUnasked: false,
    word: "effort",
    efforts: ["none", "high"],
  }),
  row("Magistral", /^magistral/, MISTRAL, { thinks: "always", word: "effort", efforts: [] }),
  row(
    "Nova 2 and later",
    /^nova-(?:[2-9]|\d\d)/,
    "https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html",
    { thinks: "choice", thinksUnasked: false, word: "reasoningConfig", efforts: ["low", "medium", "high"] },
  ),
  row("Nova 1", /^nova-/, "https://docs.aws.amazon.com/nova/latest/userguide/what-is-nova.html", { thinks: "never" }),
];
