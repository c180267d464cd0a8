import { rulesOf } from "@/lib/model-rules/rules-of";
import type { Provider, Rules } from "@/lib/model-rules/schema";
import { readArray, readObject } from "../../wire/canonical/json";
import type { Edits } from "../../wire/dialects/dialect";
import type { RequestFix } from "../channel-type";
import { effortEdit, effortsAt } from "./efforts-at";
import { inTurn, mistralMessages, shortCallIds } from "./message-fixes";
import { thinkingAt } from "./thinking-fix";

const EFFORT_SUFFIX = /-(high|medium|low|minimal|none|xhigh)$/;

/** Reasoning models have another field for the limit. */
const isReasoning = ({ limit }: Rules): boolean => limit === "max_completion_tokens";

const withoutSuffix = (model: string): string => model.replace(EFFORT_SUFFIX, "");

/** Reasoning models: max_completion_tokens, effort from the model name's suffix, developer messages. */
const openaiReasoning =
  (provider: Provider): RequestFix =>
  (json, model, options) => {
    if (!isReasoning(rulesOf(model, provider, options["models.rules"]))) return {};
    const edits: Edits = {};
    if (json.max_tokens !== undefined) {
      edits.max_completion_tokens = json.max_completion_tokens ?? json.max_tokens;
      edits.max_tokens = undefined;
    }
    const suffix = EFFORT_SUFFIX.exec(model);
    if (suffix) Object.assign(edits, { model: model.slice(0, suffix.index) }, effortEdit(json, suffix[1]));
    const messages = json.messages;
    if (/^(o1$|o1-2024-12-17|o3)/.test(model) && Array.isArray(messages) && messages[0]?.role === "system") {
      edits.messages = [{ ...messages[0], role: "developer" }, ...messages.slice(1)];
    }
    return edits;
  };

/** The item of `include` that asks for log probabilities in the Responses API. */
const LOGPROBS = "message.output_text.logprobs";

/** No sampling parameters where the model refuses them; some take them again while they do not think. */
const openaiSampling =
  (provider: Provider): RequestFix =>
  (json, model, options) => {
    const { sampling, samplingWithoutThoughts } = rulesOf(model, provider, options["models.rules"]);
    if (!sampling) return {};
    const effort = json.input === undefined ? json.reasoning_effort : readObject(json.reasoning).effort;
    if (samplingWithoutThoughts && effort === "none") return {};
    const edits: Edits = {};
    for (const name of sampling) if (json[name] !== undefined) edits[name] = undefined;
    const include = readArray(json.include);
    if (include.includes(LOGPROBS)) edits.include = include.filter((item) => item !== LOGPROBS);
    return edits;
  };

/** OpenAI's models: ids of calls, fields and efforts that they take. */
export function openai(provider: Provider): RequestFix {
  /** A fix that knows the model by its name without a suffix. */
  const named =
    (fix: RequestFix): RequestFix =>
    (json, model, options) => {
      const rules = rulesOf(model, provider, options["models.rules"]);
      return fix(json, isReasoning(rules) ? withoutSuffix(model) : model, options);
    };
  return inTurn(
    shortCallIds,
    openaiReasoning(provider),
    named(thinkingAt(provider)),
    named(effortsAt(provider)),
    named(openaiSampling(provider)),
  );
}

/** Clamps top_p to the range that the provider accepts. */
export function clampTopP(min: number, max: number): RequestFix {
  return ({ top_p: topP }) => {
    if (typeof topP !== "number") return {};
    const clamped = Math.min(max, Math.max(min, topP));
    return clamped === topP ? {} : { top_p: clamped };
  };
}

type Part = { type?: unknown; image_url?: unknown };

function mapImageParts(messages: unknown, change: (part: Part) => Part): Edits {
  if (!Array.isArray(messages)) return {};
  let changed = false;
  const mapped = messages.map((message: { content?: unknown }) => {
    if (!Array.isArray(message?.content) || !message.content.some((part: Part) => part?.type === "image_url")) {
      return message;
    }
    changed = true;
    return {
      ...message,
      content: message.content.map((part: Part) => (part?.type === "image_url" ? change(part) : part)),
    };
  });
  return changed ? { messages: mapped } : {};
}

function imageUrl(part: Part): string {
  const { image_url: image } = part;
  if (typeof image === "string") return image;
  const url = typeof image === "object" && image !== null && "url" in image ? image.url : "";
  return typeof url === "string" ? url : "";
}

/** GLM: top_p below 1, temperature up to 1, `stop` as a list, inline images as bare base64. */
const glm: RequestFix = (json, model, options) => ({
  ...clampTopP(0, 0.99)(json, model, options),
  ...(typeof json.temperature === "number" && json.temperature > 1 ? { temperature: 1 } : {}),
  ...(typeof json.stop === "string" ? { stop: [json.stop] } : {}),
  // "auto" is the only choice that GLM knows.
  ...(json.tool_choice === "none" ? { tools: undefined, tool_choice: undefined } : {}),
  ...mapImageParts(json.messages, (part) => ({
    ...part,
    image_url: { url: imageUrl(part).replace(/^data:[^,]*,/, "") },
  })),
});

export const zhipu = inTurn(thinkingAt("zhipu"), glm);

/** The fields of Mistral's API; it refuses a body with any other field. */
const MISTRAL_FIELDS = new Set([
  "model",
  "messages",
  "temperature",
  "top_p",
  "max_tokens",
  "stream",
  "stop",
  "random_seed",
  "response_format",
  "tools",
  "tool_choice",
  "presence_penalty",
  "frequency_penalty",
  "n",
  "prediction",
  "parallel_tool_calls",
  "prompt_mode",
  "reasoning_effort",
  "safe_prompt",
  "metadata",
  "prompt_cache_key",
  "guardrails",
]);

/** Some models know only none and high. Others refuse the field. */
function mistralEffort(effort: unknown, { efforts = [] }: Rules): Edits {
  if (typeof effort !== "string") return {};
  if (efforts.length === 0) return { reasoning_effort: undefined };
  return { reasoning_effort: ["none", "minimal"].includes(effort) ? "none" : "high" };
}

/** Mistral wants image URLs as plain strings, max_tokens and random_seed, and no unknown fields. */
const mistralFields: RequestFix = (json, model, options) => {
  const edits: Edits = mapImageParts(json.messages, (part) => ({ type: "image_url", image_url: imageUrl(part) }));
  Object.assign(edits, mistralEffort(json.reasoning_effort, rulesOf(model, "mistral", options["models.rules"])));
  if (json.max_tokens === undefined && json.max_completion_tokens !== undefined) {
    edits.max_tokens = json.max_completion_tokens;
  }
  if (json.random_seed === undefined && json.seed !== undefined) edits.random_seed = json.seed;
  for (const name of Object.keys(json)) if (!MISTRAL_FIELDS.has(name)) edits[name] = undefined;
  return edits;
};

export const mistral = inTurn(thinkingAt("mistral"), mistralFields, mistralMessages);

/** grok-3-mini: effort from the model name's suffix, max_completion_tokens. */
const grokMini: RequestFix = (json, model) => {
  if (!model.startsWith("grok-3-mini")) return {};
  const edits: Edits = {};
  const suffix = /-(high|medium|low)$/.exec(model);
  if (suffix) Object.assign(edits, { model: model.slice(0, suffix.index) }, effortEdit(json, suffix[1]));
  if (json.max_tokens !== undefined) {
    edits.max_completion_tokens = json.max_completion_tokens ?? json.max_tokens;
    edits.max_tokens = undefined;
  }
  return edits;
};

/** Grok: `minimal` becomes low, not none, and fields that the model refuses are left out. */
const grok: RequestFix = (json, model, options) => {
  const edits: Edits = {};
  const { sampling = [] } = rulesOf(model, "xai", options["models.rules"]);
  const effort = json.input === undefined ? json.reasoning_effort : readObject(json.reasoning).effort;
  if (effort === "minimal") Object.assign(edits, effortEdit(json, "low"));
  for (const name of sampling) if (json[name] !== undefined) edits[name] = undefined;
  return edits;
};

export const xai = inTurn(thinkingAt("xai"), grok, effortsAt("xai"), grokMini);

/** Cohere: the operator's safety mode, which cannot be given together with tools. `setting` is read once. */
export function cohereSafety(setting: () => string): RequestFix {
  let mode: string | null = null;
  return ({ tools, documents, safety_mode: given }) => {
    mode ??= setting();
    const isTaken = tools === undefined && documents === undefined && given === undefined;
    return mode === "NONE" || !isTaken ? {} : { safety_mode: mode };
  };
}

/** Without the encoding, which these upstreams refuse or ignore, and with a list of texts. */
export const floatsOnly: RequestFix = ({ encoding_format: encoding, input }) => ({
  ...(encoding === undefined ? {} : { encoding_format: undefined }),
  ...(typeof input === "string" ? { input: [input] } : {}),
});

/** Mistral calls the number of dimensions `output_dimension`. */
export const mistralEmbeddings: RequestFix = (json, model, options) => {
  const { dimensions } = json;
  if (dimensions === undefined) return floatsOnly(json, model, options);
  return { ...floatsOnly(json, model, options), dimensions: undefined, output_dimension: dimensions };
};
