import { type RuleRow, row } from "../schema";

const MODELS = "https://developers.openai.com/api/docs/models";
const GUIDE = "https://developers.openai.com/api/docs/guides/latest-model";
const REFUSED = "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning";
const SAMPLING = [
  ...["temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs", "logit_bias"],
];

/** OpenAI's models, also at Azure. */
export const OPENAI_ROWS: readonly RuleRow[] = [
  row("GPT-OSS", /^gpt-oss/, "https://cookbook.openai.com/articles/openai-harmony", {
    thinks: "always",
    thinksUnasked: true,
    word: "effort",
    efforts: ["low", "medium", "high"],
  }),
  row("GPT-3, GPT-4 and the first previews of o1", /^(gpt-[34]|chatgpt-|o1-(mini|preview))/, MODELS, {
    thinks: "never",
    word: "effort",
    efforts: [],
  }),
  row(
    "o3-pro, deep research, codex-mini, computer use",
    /^(o[13]-pro|o\d(-mini)?-deep-research|computer-use-preview|codex-mini|gpt-\d+(\.\d+)?(-\w+)?-(pro|codex))/,
    MODELS,
    { responsesOnly: true },
  ),
  row("o1, o3, o4 and later", /^o\d/, REFUSED, { limit: "max_completion_tokens", sampling: SAMPLING }),
  row("GPT-5 and later", /^gpt-([5-9]|\d\d)/, GUIDE, { limit: "max_completion_tokens", sampling: SAMPLING }),
  row(
    "GPT-5 and later for chats, deep research",
    /^(gpt-([5-9]|\d\d)(\.\d+)?(-\w+)?-chat|o\d(-mini)?-deep-research)/,
    MODELS,
    { thinks: "never", word: "effort", efforts: ["medium"] },
  ),
  row("GPT-5 pro", /^gpt-5-pro/, `${MODELS}/gpt-5-pro`, {
    thinks: "always",
    thinksUnasked: true,
    word: "effort",
    efforts: ["high"],
  }),
  row("GPT-5.2 pro and later", /^gpt-\d+(\.\d+)?(-\w+)?-pro/, `${MODELS}/gpt-5.4-pro`, {
    thinks: "always",
    thinksUnasked: true,
    word: "effort",
    efforts: ["medium", "high", "xhigh"],
  }),
  row(
    "Codex of GPT-5.1 max, GPT-5.2 and later",
    /^(gpt-5\.1-codex-max|gpt-5\.([2-9]|\d\d)-codex|gpt-([6-9]|\d\d)\S*-codex)/,
    `${MODELS}/gpt-5.2-codex`,
    { thinks: "always", thinksUnasked: true, word: "effort", efforts: ["low", "medium", "high", "xhigh"] },
  ),
  row("o-series, the first Codex", /^(gpt-5(\.1)?-codex|codex-|o\d)/, `${MODELS}/o3`, {
    thinks: "always",
    thinksUnasked: true,
    word: "effort",
    efforts: ["low", "medium", "high"],
  }),
  row("GPT-5", /^gpt-5(-mini|-nano)?(-\d{4}|$)/, `${MODELS}/gpt-5`, {
    thinks: "always",
    thinksUnasked: true,
    word: "effort",
    efforts: ["minimal", "low", "medium", "high"],
  }),
  row("GPT-5.1", /^gpt-5\.1(?!\d)/, `${MODELS}/gpt-5.1`, {
    thinks: "choice",
    thinksUnasked: false,
    word: "effort",
    efforts: ["none", "low", "medium", "high"],
  }),
  row("GPT-5.2 to 5.5", /^gpt-5\.[2-5](?!\d)/, `${MODELS}/gpt-5.5`, {
    thinks: "choice",
    word: "effort",
    efforts: ["none", "low", "medium", "high", "xhigh"],
    samplingWithoutThoughts: true,
  }),
  row("GPT-5.2 to 5.4", /^gpt-5\.[2-4](?!\d)/, `${MODELS}/gpt-5.4`, { thinksUnasked: false }),
  row("GPT-6 Astra, GPT-6.1 Sol", /^gpt-6(\.\d+)?-astra|^gpt-6\.\d+-sol/, GUIDE, {
    thinks: "always",
    word: "effort",
    efforts: ["low", "medium", "high", "xhigh", "max"],
    chatTools: "never",
  }),
  row("GPT-5.6, GPT-6 and later", /^gpt-(5\.\d|[6-9]|\d\d)/, GUIDE, {
    thinks: "choice",
    word: "effort",
    efforts: ["none", "low", "medium", "high", "xhigh", "max"],
    samplingWithoutThoughts: true,
  }),
  row("GPT-5.5 and later", /^gpt-(5\.([5-9]|\d\d)|[6-9]|\d\d)/, GUIDE, { thinksUnasked: true }),
  row("GPT-5.4 and later", /^gpt-(5\.([4-9]|\d\d)|[6-9]|\d\d)(?!\S*-chat)/, GUIDE, { chatTools: "without thoughts" }),
];
