import { type Json, readArray, readObject } from "../../relay/wire/canonical/json";

// What providers take of a model, each rule from the page of its provider, and by itself: nothing here is taken from the
// table that is tested.

/** `thinks`: whether the model would; "least" = it always does, and was asked for the least. */
export type Verdict = { fault: string; thinks: "no" | "least" | "yes" };

type Judge = (model: string, body: Json, isStream: boolean) => Verdict;

const fault = (text: string): Verdict => ({ fault: text, thinks: "yes" });
const no: Verdict = { fault: "", thinks: "no" };
const yes: Verdict = { fault: "", thinks: "yes" };
const least: Verdict = { fault: "", thinks: "least" };

const WORDS = ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget"];

/** A word for thinking that the provider does not know. Many ignore such a word, and the caller's wish with it. */
function foreign(body: Json, own: readonly string[]): string {
  const found = WORDS.filter((name) => body[name] !== undefined && !own.includes(name));
  return found.length === 0 ? "" : `${found.join(", ")}: not a parameter of this model`;
}

/** Thoughts that must come back with calls, in all later requests. */
function lostThoughts(body: Json): string {
  let hasCalled = false;
  for (const message of readArray(body.messages).map(readObject)) {
    if (message.role === "user") hasCalled = false;
    if (readArray(message.tool_calls).length > 0) hasCalled = true;
    const { reasoning_content: thoughts } = message;
    if (message.role === "assistant" && hasCalled && (typeof thoughts !== "string" || thoughts.trim() === ""))
      return "The reasoning_content in the thinking mode must be passed back to the API.";
  }
  return "";
}

/** https://github.com/deepseek-ai/DeepSeek-V3/issues/1376 (DeepSeek), https://github.com/QwenLM/qwen-code/issues/7659 (Model Studio) */
function forcedWhileThinking({ tool_choice: choice }: Json, verdict: Verdict): Verdict {
  const isForced = choice === "required" || typeof choice === "object";
  return isForced && verdict.thinks !== "no" ? fault("Thinking mode does not support this tool_choice") : verdict;
}

/** `thinking: { type }`; `on`: what switches it on. */
function switchOf(body: Json, on: readonly string[], usual: boolean): Verdict {
  const { thinking } = body;
  if (thinking === undefined) return usual ? yes : no;
  const { type } = readObject(thinking);
  if (type === "disabled") return no;
  return on.includes(String(type)) ? yes : fault(`thinking.type: ${type} is not supported`);
}

function effortOf(effort: unknown, efforts: readonly string[], usual: boolean): Verdict {
  if (effort === undefined) return usual ? yes : no;
  if (!efforts.includes(String(effort)))
    return fault(`reasoning effort ${effort}: supported are ${efforts.join(", ")}`);
  if (effort === "none") return no;
  return effort === efforts.find((word) => word !== "none") ? least : yes;
}

const SAMPLING = ["temperature", "top_p", "presence_penalty", "frequency_penalty", "logprobs", "top_logprobs"];
const XHIGH = ["low", "medium", "high", "xhigh"];

/** https://developers.openai.com/api/docs/guides/latest-model, and the pages of the models. */
const openai: Judge = (model, body) => {
  const isResponses = body.input !== undefined;
  const thinker = /^(gpt-[5-9]|o\d)/.test(model);
  const known: readonly (readonly [RegExp, readonly string[], boolean])[] = [
    [/^gpt-4/, [], false],
    [/^o\d/, ["low", "medium", "high"], true],
    [/^gpt-5(-mini|-nano)?$/, ["minimal", "low", "medium", "high"], true],
    [/^gpt-5\.1$/, ["none", "low", "medium", "high"], false],
    [/^gpt-5\.[2-4]/, ["none", ...XHIGH], false],
    [/^gpt-5\.5/, ["none", ...XHIGH], true],
    [/^gpt-6(\.\d)?-astra|^gpt-6\.\d-sol/, [...XHIGH, "max"], true],
    [/^gpt-(5\.\d|[6-9])/, ["none", ...XHIGH, "max"], true],
  ];
  const [, efforts = [], usual = false] = known.find(([models]) => models.test(model)) ?? [];
  const strange = foreign(body, isResponses ? ["reasoning"] : ["reasoning_effort"]);
  if (strange !== "") return fault(strange);
  const effort = isResponses ? readObject(body.reasoning).effort : body.reasoning_effort;
  const verdict = effortOf(effort, efforts, usual);
  if (thinker && body.max_tokens !== undefined) return fault("max_tokens: use 'max_completion_tokens' with this model");
  const refused = thinker && effort !== "none" ? SAMPLING.find((name) => body[name] !== undefined) : undefined;
  if (refused !== undefined) return fault(`${refused}: not supported with this model`);
  const version = Number(/^gpt-(\d+(?:\.\d+)?)/.exec(model)?.[1] ?? 0);
  const hasTools = !isResponses && version >= 5.4 && readArray(body.tools).length > 0;
  if (hasTools && (verdict.thinks !== "no" || !efforts.includes("none")))
    return fault("Function tools with reasoning_effort are not supported in /v1/chat/completions");
  return verdict;
};

/** https://api-docs.deepseek.com/guides/thinking_mode */
const deepseek: Judge = (model, body) => {
  const strange = foreign(body, ["thinking", "reasoning_effort"]);
  if (strange !== "") return fault(strange);
  const { reasoning_effort: effort } = body;
  if (effort !== undefined && !["minimal", ...XHIGH, "max", "ultra"].includes(String(effort)))
    return fault("reasoning_effort: not known");
  const verdict = switchOf(body, ["enabled"], model !== "deepseek-chat");
  const lost = verdict.thinks === "no" ? "" : lostThoughts(body);
  return lost === "" ? forcedWhileThinking(body, verdict) : fault(lost);
};

/** https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model, …/use-thinking-effort */
const moonshot: Judge = (model, body) => {
  const isNewest = /^kimi-k[3-9]/.test(model);
  const strange = foreign(body, [isNewest ? "reasoning_effort" : "thinking"]);
  if (strange !== "") return fault(strange);
  if (/^(moonshot|kimi-k2-(0|turbo))/.test(model))
    return body.thinking === undefined ? no : fault("thinking: not known");
  const verdict = isNewest
    ? effortOf(body.reasoning_effort, ["low", "high", "max"], true)
    : switchOf(body, ["enabled"], true);
  if (/^kimi-k2\.7/.test(model) && verdict.thinks === "no") return fault("thinking.type: only enabled is supported");
  if (/^kimi-k(2\.|3)/.test(model) && body.temperature !== undefined) return fault("temperature: only 1 is allowed");
  const lost = verdict.thinks === "no" ? "" : lostThoughts(body);
  if (lost !== "") return fault(lost);
  return isNewest ? verdict : forcedWhileThinking(body, verdict);
};

/** https://docs.bigmodel.cn/cn/guide/capabilities/thinking-mode, https://docs.z.ai/guides/llm/glm-5.3 */
const zhipu: Judge = (model, body) => {
  if (/^glm-(5\.[3-9]|[6-9])/.test(model)) {
    const { type } = readObject(body.thinking);
    const strange = foreign(body, ["thinking", "reasoning_effort"]);
    if (strange !== "" || type === "disabled") return fault(strange || "thinking.type: only enabled is supported");
    return effortOf(body.reasoning_effort, ["low", "high", "max"], true);
  }
  const thinks = /^glm-(4\.[5-9]|5)/.test(model);
  const strange = foreign(body, thinks ? ["thinking"] : []);
  return strange === "" ? switchOf(body, ["enabled"], thinks) : fault(strange);
};

/** https://help.aliyun.com/zh/model-studio/deep-thinking */
const dashscope: Judge = (model, body, isStream) => {
  const strange = foreign(body, ["enable_thinking", "thinking_budget"]);
  if (strange !== "") return fault(strange);
  const { enable_thinking: given } = body;
  if (/^qwen3-\d+b/.test(model) && !isStream && given !== false)
    return given === undefined ? yes : fault("parameter.enable_thinking must be set to false for non-streaming calls");
  if (/^qwq|thinking/.test(model)) return forcedWhileThinking(body, yes);
  const isOn = given ?? /^(qwen3\.[5-9]|qwen3-\d|deepseek-v4|glm)/.test(model);
  return forcedWhileThinking(body, isOn ? yes : no);
};

/** https://docs.siliconflow.cn/docs/api/chat-completions-post: other models refuse the parameter. */
const siliconflow: Judge = (model, body) => {
  const thinks = /qwen3-(?!.*(instruct|coder))|deepseek-v(3\.[12]|4)|glm-(4\.[5-9]|5)|kimi-k2\.[56]/i.test(model);
  const strange = foreign(body, thinks ? ["enable_thinking", "thinking_budget", "reasoning_effort"] : []);
  if (strange !== "") return fault(strange);
  const { enable_thinking: given, thinking_budget: budget = 128, reasoning_effort: effort } = body;
  if (Number(budget) < 128) return fault("thinking_budget: at least 128");
  if (effort !== undefined && !(/deepseek-v4|glm-5\.2/i.test(model) && ["high", "max"].includes(String(effort))))
    return fault("reasoning_effort: not supported");
  return (given ?? (thinks && !/deepseek-v3/i.test(model))) ? yes : no;
};

/** https://www.volcengine.com/docs/82379/1449737 */
const volcengine: Judge = (model, body) => {
  if (/^doubao-(pro|lite|1-5-(pro|lite))/.test(model)) return foreign(body, []) === "" ? no : fault(foreign(body, []));
  const takesEffort = /^doubao-seed-(1-8|[2-9])/.test(model);
  const strange = foreign(body, ["thinking", ...(takesEffort ? ["reasoning_effort"] : [])]);
  return strange === "" ? switchOf(body, ["enabled", "auto"], true) : fault(strange);
};

/** https://openrouter.ai/docs/use-cases/reasoning-tokens */
const openrouter: Judge = (model, body) => {
  const strange = foreign(body, ["reasoning", "reasoning_effort"]);
  if (strange !== "") return fault(strange);
  const { effort = body.reasoning_effort, enabled, max_tokens: tokens } = readObject(body.reasoning);
  const isOff = effort === "none" || enabled === false;
  if (/claude-opus-5\.5|gpt-6-astra|kimi-k3/.test(model)) {
    if (isOff) return fault("Reasoning is mandatory for this endpoint and cannot be disabled");
    return effort === "minimal" ? least : yes;
  }
  if (isOff) return no;
  return effort !== undefined || tokens !== undefined || /deepseek|gpt-[56]/.test(model) ? yes : no;
};

/** https://cloud.baidu.com/doc/qianfan-docs/s/Wm95lyynv */
const qianfan: Judge = (model, body) => {
  const isSwitch = /^(qwen3-|ernie-4\.5-vl|ernie-4\.5-turbo-vl-preview|ernie-5)/.test(model);
  const isObject = /^(deepseek-v3\.[12]|kimi-k2\.5|glm-(4\.7|5))/.test(model);
  const strange = foreign(body, isSwitch ? ["enable_thinking"] : isObject ? ["thinking"] : []);
  if (strange !== "") return fault(strange);
  if (isSwitch) return (body.enable_thinking ?? model.startsWith("ernie-5")) ? yes : no;
  return isObject ? switchOf(body, ["enabled"], !model.startsWith("deepseek")) : no;
};

/** https://platform.minimax.io/docs/api-reference/text-openai-api */
const minimax: Judge = (model, body) => {
  if (/^MiniMax-M2/.test(model)) return foreign(body, []) === "" ? yes : fault(foreign(body, []));
  const isNewest = /^MiniMax-M(3\.\d|[4-9])/.test(model);
  const strange = foreign(body, ["thinking", ...(isNewest ? ["reasoning_effort"] : [])]);
  if (strange !== "") return fault(strange);
  const verdict = switchOf(body, ["adaptive"], true);
  if (!isNewest) return verdict;
  if (verdict.thinks === "no") return fault("requires adaptive thinking (2013)");
  return verdict.fault === "" ? effortOf(body.reasoning_effort, ["low", "medium", "high", "max"], true) : verdict;
};

/** https://docs.x.ai/developers/model-capabilities/text/reasoning */
const xai: Judge = (model, body) => {
  const isResponses = body.input !== undefined;
  const strange = foreign(body, [isResponses ? "reasoning" : "reasoning_effort"]);
  if (strange !== "") return fault(strange);
  const effort = isResponses ? readObject(body.reasoning).effort : body.reasoning_effort;
  if (/^grok-4\.3/.test(model)) return effortOf(effort, ["none", "low", "medium", "high"], true);
  if (/^grok-4\.5/.test(model)) return effortOf(effort, ["low", "medium", "high"], true);
  if (/^grok-3-mini/.test(model)) return effortOf(effort, ["low", "high"], true);
  if (effort !== undefined) return fault("reasoning_effort: not known");
  return /^grok-3/.test(model) ? no : yes;
};

/** https://docs.mistral.ai/capabilities/reasoning */
const mistral: Judge = (model, body) => {
  const strange = foreign(body, /^mistral-small-latest/.test(model) ? ["reasoning_effort"] : []);
  if (strange !== "") return fault(strange);
  if (model.startsWith("magistral")) return yes;
  return effortOf(body.reasoning_effort, ["none", "high"], false).thinks === "no" ? no : yes;
};

/** https://platform.claude.com/docs/en/build-with-claude/thinking and the migration guides of the models. */
const anthropic: Judge = (model, body) => {
  const { type } = readObject(body.thinking);
  const { type: choice } = readObject(body.tool_choice);
  const { effort } = readObject(body.output_config);
  const isAlways = /claude-(opus-5-5|opus-6|fable|mythos)/.test(model);
  const isNewest = isAlways || /claude-sonnet-5-5/.test(model);
  const isAdaptive = isNewest || /claude-(opus-(4-[6-9]|5)|sonnet-5|haiku-5)/.test(model);
  if (isAlways && (type === "disabled" || type === "between_tools")) return fault("thinking.type: not supported");
  if (isNewest && type === "disabled") return fault("thinking.type.disabled is not supported for this model");
  if (type === "between_tools" && !/sonnet-5-5/.test(model)) return fault("thinking.type: between_tools");
  const isOld = /claude/.test(model) && !isAdaptive;
  if (isAdaptive && type === "enabled" && !/4-6/.test(model))
    return fault("thinking.type.enabled is not supported for this model");
  if (isOld && type === "adaptive") return fault("thinking.type.adaptive is not supported for this model");
  if (isNewest && (choice === "any" || choice === "tool"))
    return fault("tool_choice: forced tool use is not supported");
  if (isAdaptive && body.temperature !== undefined && !/4-6/.test(model)) return fault("temperature: not supported");
  if (type === "disabled" || type === "between_tools") return no;
  if (type === undefined && !/claude-(\w+-[5-9]|fable|mythos)|deepseek|glm|kimi/.test(model)) return no;
  return type === undefined && effort === "low" && isAlways ? least : yes;
};

/** https://ai.google.dev/gemini-api/docs/generate-content/thinking */
const gemini: Judge = (model, body) => {
  const { thinkingBudget: budget, thinkingLevel: level } = readObject(readObject(body.generationConfig).thinkingConfig);
  const isNewest = /gemini-[3-9]/.test(model);
  if (isNewest && budget !== undefined) return fault("thinkingBudget: use thinkingLevel");
  if (!isNewest && level !== undefined) return fault("thinkingLevel: not supported for this model");
  if (/2\.5-pro/.test(model))
    return budget === undefined || Number(budget) > 128 ? yes : budget === 0 ? fault("0") : least;
  if (!isNewest) return budget === 0 ? no : yes;
  const levels = /gemini-3-flash/.test(model) ? ["minimal", "low", "medium", "high"] : ["low", "medium", "high"];
  return effortOf(level, levels, true);
};

/** https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html; gpt-oss as its maker says. */
const converse: Judge = (model, body) => {
  const { reasoningConfig, reasoning_effort: effort } = readObject(body.additionalModelRequestFields);
  if (/gpt-oss/.test(model)) return effortOf(effort, ["low", "medium", "high"], true);
  return readObject(reasoningConfig).type === "enabled" ? yes : no;
};

/** https://docs.ollama.com/capabilities/thinking: gpt-oss ignores true and false. */
const ollama: Judge = (model, body) => {
  if (/gpt-oss/.test(model)) return effortOf(body.think, ["low", "medium", "high"], true);
  return body.think === false ? no : yes;
};

/** https://docs.cohere.com/docs/reasoning */
const cohere: Judge = (_model, body) => switchOf(body, ["enabled"], true);
/** https://cloud.tencent.com/document/api/1729/105701 */
const hunyuan: Judge = (_model, body) => (body.EnableThinking === false ? no : yes);

export const MAKERS = {
  ...{ openai, deepseek, moonshot, zhipu, dashscope, siliconflow, volcengine, openrouter, qianfan, minimax, xai },
  ...{ mistral, anthropic, gemini, converse, ollama, cohere, hunyuan },
} as const satisfies Record<string, Judge>;
export type Maker = keyof typeof MAKERS;
