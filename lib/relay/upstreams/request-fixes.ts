import type { Json } from "../canonical/json";
import type { Edits } from "../dialects/dialect";
import type { RequestFix } from "./channel-type";
import { inTurn, mistralMessages, shortCallIds } from "./message-fixes";
import { effortEdit, openaiEfforts } from "./openai-efforts";

const EFFORT_SUFFIX = /-(high|medium|low|minimal|none|xhigh)$/;

function isReasoning(model: string): boolean {
  return /^(o\d|gpt-5)/.test(model);
}

/** o-series and gpt-5: max_completion_tokens, no sampling parameters, effort from the model name's suffix, developer messages. */
const openaiReasoning: RequestFix = (json, model) => {
  if (!isReasoning(model)) return {};
  const edits: Edits = {};
  if (json.max_tokens !== undefined) {
    edits.max_completion_tokens = json.max_completion_tokens ?? json.max_tokens;
    edits.max_tokens = undefined;
  }
  const refused = model.startsWith("gpt-5") ? ["temperature", "top_p", "logprobs"] : ["temperature"];
  for (const name of refused) if (json[name] !== undefined) edits[name] = undefined;
  const suffix = EFFORT_SUFFIX.exec(model);
  if (suffix) Object.assign(edits, { model: model.slice(0, suffix.index) }, effortEdit(json, suffix[1]));
  const messages = json.messages;
  if (/^(o1$|o1-2024-12-17|o3)/.test(model) && Array.isArray(messages) && messages[0]?.role === "system") {
    edits.messages = [{ ...messages[0], role: "developer" }, ...messages.slice(1)];
  }
  return edits;
};

/** OpenAI's models: ids of calls, fields and efforts that they take. */
export const openai = inTurn(shortCallIds, openaiReasoning, (json, model, options) =>
  openaiEfforts(json, isReasoning(model) ? model.replace(EFFORT_SUFFIX, "") : model, options),
);

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

/** GLM models that think. */
const GLM_THINKS = /^glm-(4\.[5-9]|[5-9])/;

/** GLM: top_p below 1, temperature up to 1, `stop` as a list, inline images as bare base64, `thinking` for an effort. */
export const zhipu: RequestFix = (json, model, options) => ({
  ...clampTopP(0, 0.99)(json, model, options),
  ...(typeof json.temperature === "number" && json.temperature > 1 ? { temperature: 1 } : {}),
  ...(typeof json.stop === "string" ? { stop: [json.stop] } : {}),
  // "auto" is the only choice that GLM knows.
  ...(json.tool_choice === "none" ? { tools: undefined, tool_choice: undefined } : {}),
  ...glmThinking(json, model),
  ...mapImageParts(json.messages, (part) => ({
    ...part,
    image_url: { url: imageUrl(part).replace(/^data:[^,]*,/, "") },
  })),
});

/** GLM thinks or does not; it knows no effort. */
function glmThinking({ reasoning_effort: effort, thinking }: Readonly<Json>, model: string): Edits {
  if (effort === undefined) return {};
  const isAsked = thinking === undefined && GLM_THINKS.test(model);
  return {
    reasoning_effort: undefined,
    ...(isAsked ? { thinking: { type: effort === "none" ? "disabled" : "enabled" } } : {}),
  };
}

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

/** These think or not, and know no efforts between. Others refuse the field. */
const MISTRAL_EFFORT = /^mistral-(small|medium|large)-(latest|2[6-9]\d\d)/;

function mistralEffort(effort: unknown, model: string): Edits {
  if (typeof effort !== "string") return {};
  if (!MISTRAL_EFFORT.test(model)) return { reasoning_effort: undefined };
  return { reasoning_effort: ["none", "minimal"].includes(effort) ? "none" : "high" };
}

/** Mistral wants image URLs as plain strings, max_tokens and random_seed, and no unknown fields. */
const mistralFields: RequestFix = (json, model) => {
  const edits: Edits = mapImageParts(json.messages, (part) => ({ type: "image_url", image_url: imageUrl(part) }));
  Object.assign(edits, mistralEffort(json.reasoning_effort, model));
  if (json.max_tokens === undefined && json.max_completion_tokens !== undefined) {
    edits.max_tokens = json.max_completion_tokens;
  }
  if (json.random_seed === undefined && json.seed !== undefined) edits.random_seed = json.seed;
  for (const name of Object.keys(json)) if (!MISTRAL_FIELDS.has(name)) edits[name] = undefined;
  return edits;
};

export const mistral = inTurn(mistralFields, mistralMessages);

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

/** Models that think whether they are asked to or not, and refuse an effort; and those that never think. */
const GROK_WITHOUT_EFFORT = /^grok-(2|3(?!-mini)|4(-\d{4}|-latest|-fast|-1|\.1|\.20|$)|code)/;
const GROK_THINKS = /^grok-(3-mini|4|code)(?!.*non-reasoning)/;

/** Grok: no effort where a model refuses it, else one of its own; no penalties for models that think. */
const grok: RequestFix = ({ reasoning_effort: effort, ...json }, model) => {
  const edits: Edits = {};
  if (typeof effort === "string" && GROK_WITHOUT_EFFORT.test(model)) edits.reasoning_effort = undefined;
  else if (effort === "minimal") edits.reasoning_effort = "low";
  else if (effort === "xhigh") edits.reasoning_effort = "high";
  else if (effort === "medium" && model.startsWith("grok-3-mini")) edits.reasoning_effort = "low";
  if (!GROK_THINKS.test(model)) return edits;
  for (const name of ["presence_penalty", "frequency_penalty"]) if (json[name] !== undefined) edits[name] = undefined;
  return edits;
};

export const xai = inTurn(grok, grokMini);

/** Cohere: the operator's safety mode, which cannot be given together with tools. `setting` is read once. */
export function cohereSafety(setting: () => string): RequestFix {
  let mode: string | null = null;
  return ({ tools, documents, safety_mode: given }) => {
    mode ??= setting();
    const isTaken = tools === undefined && documents === undefined && given === undefined;
    return mode === "NONE" || !isTaken ? {} : { safety_mode: mode };
  };
}
