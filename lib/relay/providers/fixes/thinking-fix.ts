import { isEffortWord, nearestEffort, rulesOf } from "@/lib/model-rules/rules-of";
import type { Provider, Rules } from "@/lib/model-rules/schema";
import { type Json, readObject } from "../../wire/canonical/json";
import type { Thinking } from "../../wire/canonical/request";
import { InvalidRequest } from "../../wire/canonical/wire-error";
import { thinkingFields } from "../../wire/dialects/common/thinking-words";
import type { Edits } from "../../wire/dialects/dialect";
import { decodeThinking } from "../../wire/dialects/openai-chat/decode-request";
import { readCompletionMax } from "../../wire/dialects/openai-chat/facts";
import type { RequestFix } from "../channel-type";

const TEMPLATE = "chat_template_kwargs";

/** The fields by which providers are told how to think. */
const SAID = ["reasoning_effort", "reasoning", "thinking", "enable_thinking", "thinking_budget", TEMPLATE];

/** Whatever word a caller of chat completions has for thinking, the provider gets its own. */
export function thinkingAt(provider: Provider): RequestFix {
  return (json, model, options) => {
    if (json.messages === undefined || !SAID.some((name) => json[name] !== undefined)) return {};
    const rules = rulesOf(model, provider, options["models.rules"]);
    if (rules.word === undefined) return {};
    return isOwn(json, rules) ? withoutOthers(json, rules) : translated(json, rules);
  };
}

/** Whether it is said in a way that the model takes. */
function isOwn(json: Readonly<Json>, { word, thinks, thinksUnasked, efforts }: Rules): boolean {
  const { reasoning_effort: effort, reasoning, thinking, enable_thinking: switched } = json;
  const hasEfforts = efforts !== undefined && efforts.length > 0;
  if (thinks === "never" && !hasEfforts) return false;
  const canStop = thinks !== "always";
  switch (word) {
    case "effort":
      return effort !== undefined && (effort !== "none" || efforts === undefined || efforts.includes("none"));
    case "reasoning": {
      const { effort: given = effort, enabled } = readObject(reasoning);
      const isOff = given === "none" || enabled === false;
      return (reasoning !== undefined || effort !== undefined) && (canStop || !isOff);
    }
    case "thinking":
    case "adaptive": {
      const { type } = readObject(thinking);
      if (type === "disabled") return canStop;
      if (thinking !== undefined) return word === "adaptive" ? type === "adaptive" : type !== "adaptive";
      return effort !== undefined && effort !== "none" && hasEfforts && (thinksUnasked === true || !canStop);
    }
    case "enable_thinking":
      return typeof switched === "boolean" || (switched === undefined && json.thinking_budget !== undefined);
    case TEMPLATE: {
      const { enable_thinking: one, thinking: other } = readObject(json[TEMPLATE]);
      return typeof one === "boolean" || typeof other === "boolean";
    }
    default:
      return true;
  }
}

/** The fields of each word. */
const FIELDS: Partial<Record<string, readonly string[]>> = {
  effort: ["reasoning_effort"],
  reasoning: ["reasoning", "reasoning_effort"],
  thinking: ["thinking"],
  adaptive: ["thinking"],
  enable_thinking: ["enable_thinking", "thinking_budget"],
  [TEMPLATE]: [TEMPLATE],
};

/** The provider's own fields, and an effort if the model knows some. */
function withoutOthers(json: Readonly<Json>, { word, efforts }: Rules): Edits {
  const own = word && FIELDS[word];
  if (!own) return {};
  const edits: Edits = {};
  for (const name of SAID) if (json[name] !== undefined && !own.includes(name)) edits[name] = undefined;
  const { reasoning_effort: effort } = json;
  if (!isEffortWord(effort) || !efforts || word === "effort" || word === "reasoning") return edits;
  const known = effort === "none" ? efforts : efforts.filter((given) => given !== "none");
  const nearest = nearestEffort(effort, known);
  if (nearest === effort) delete edits.reasoning_effort;
  else edits.reasoning_effort = nearest;
  return edits;
}

function translated(json: Readonly<Json>, rules: Rules): Edits {
  const thinking = readWish(json);
  // Of an unknown model the caller may know more than the table.
  if (!thinking || rules.thinks === undefined) return {};
  const edits: Edits = {};
  for (const name of SAID) if (json[name] !== undefined) edits[name] = undefined;
  const maxTokens = readCompletionMax(json) ?? undefined;
  const fields = thinkingFields(thinking, rules, { isStream: json.stream === true, maxTokens });
  if (fields[TEMPLATE]) fields[TEMPLATE] = { ...readObject(json[TEMPLATE]), ...readObject(fields[TEMPLATE]) };
  return Object.assign(edits, fields);
}

/** What the request says of thinking; undefined = nothing that Weir knows. */
export function readWish(json: Readonly<Json>): Thinking | undefined {
  try {
    return decodeThinking(json);
  } catch (error) {
    // An invalid value goes on as it is, and the upstream refuses it.
    if (error instanceof InvalidRequest) return undefined;
    throw error;
  }
}
