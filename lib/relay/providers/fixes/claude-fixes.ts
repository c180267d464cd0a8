import { rulesOf } from "@/lib/model-rules/rules-of";
import type { Provider, Rules } from "@/lib/model-rules/schema";
import { type Json, readObject, readText } from "../../wire/canonical/json";
import type { ToolChoice } from "../../wire/canonical/request";
import {
  budgetFields,
  decodeThinking,
  maxTokensOf,
  switchedOff,
  thinkingEdits,
} from "../../wire/dialects/anthropic-messages/thinking";
import { forcedCallSentence } from "../../wire/dialects/common/calls/forced-call";
import { effortFor } from "../../wire/dialects/common/thinking-words";
import type { Edits } from "../../wire/dialects/dialect";
import type { RequestFix } from "../channel-type";
import { asksToThink, isClaude, withoutThinking } from "./claude-models";
import { inTurn } from "./message-fixes";

/** Names that end in "-thinking" (contract §6.3). */
function named(provider: Provider): RequestFix {
  return (json, name, options) => {
    if (!asksToThink(name, options)) return {};
    const model = withoutThinking(name, options);
    const share = options["claude.thinking_adapter_budget_tokens_percentage"];
    const usual = maxTokensOf(model, options["claude.default_max_tokens"]);
    const rules = rulesOf(model, provider, options["models.rules"]);
    return { ...(json.model === undefined ? {} : { model }), ...thinkingEdits(json, rules, share, usual) };
  };
}

/** A request that was made for another Claude, as by a channel's model redirect, becomes one that this one takes. */
function takenBy(provider: Provider): RequestFix {
  return (json, name, options) => {
    if (!isClaude(name)) return {};
    const rules = rulesOf(withoutThinking(name, options), provider, options["models.rules"]);
    const edits: Edits = { ...thinkingFor(json, rules), ...callsFor(json, rules) };
    for (const field of rules.sampling ?? []) if (json[field] !== undefined) edits[field] = undefined;
    return edits;
  };
}

function thinkingFor(json: Readonly<Json>, rules: Rules): Edits {
  const { thinking, output_config: config } = json;
  const { type, budget_tokens: tokens, ...given } = readObject(thinking);
  if (rules.word === "budget") return type === "adaptive" || type === "between_tools" ? withBudget(json) : {};
  if (rules.word !== "output_config") return {};
  const withEffort = (effort: string | null | undefined): Edits =>
    effort && readObject(config).effort === undefined ? { output_config: { ...readObject(config), effort } } : {};
  if (type === "enabled" && rules.refusesBudgets) {
    const effort = typeof tokens === "number" ? effortFor({ type: "budget", tokens }, rules) : undefined;
    return { thinking: { ...given, type: "adaptive" }, ...withEffort(effort) };
  }
  if (type !== "disabled" && type !== "between_tools") return {};
  const { thinking: off, effort } = switchedOff(rules);
  return off?.type === type ? {} : { thinking: off ?? undefined, ...withEffort(effort) };
}

/** For a model that cannot decide itself how long to think. */
function withBudget({ thinking, output_config: config, max_tokens: limit }: Readonly<Json>): Edits {
  const { effort: _, ...output } = readObject(config);
  const wish = decodeThinking(readObject(thinking), readObject(config));
  const isWish = wish !== undefined && wish.type !== "off" && typeof limit === "number";
  const fields = isWish ? budgetFields(wish, limit, limit) : null;
  const outputConfig = Object.keys(output).length > 0 ? output : undefined;
  return { thinking: fields?.thinking ?? undefined, ...(config === undefined ? {} : { output_config: outputConfig }) };
}

/** Where no call can be forced, it is asked for in words. */
function callsFor({ tool_choice: given, system }: Readonly<Json>, { forcedTools }: Rules): Edits {
  const { type, name, ...choice } = readObject(given);
  if (forcedTools !== false || (type !== "any" && type !== "tool")) return {};
  const forced: ToolChoice = type === "tool" ? { type, name: readText(name) } : { type: "required" };
  const text = forcedCallSentence(forced);
  const said = typeof system === "string" && system !== "" ? `${system}\n\n${text}` : text;
  const asked = Array.isArray(system) ? [...system, { type: "text", text }] : said;
  return { tool_choice: { ...choice, type: "auto" }, system: asked };
}

export function claude(provider: Provider): RequestFix {
  return inTurn(named(provider), takenBy(provider));
}

const atVertex = claude("vertex");

/** Claude on Vertex AI: the path says the model, and the body the version. There are no tiers. */
export const vertexClaude: RequestFix = (json, model, options) => ({
  ...atVertex(json, model, options),
  model: undefined,
  service_tier: undefined,
  anthropic_version: "vertex-2023-10-16",
});
