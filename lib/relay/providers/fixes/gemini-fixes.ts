import { rulesOf } from "@/lib/model-rules/rules-of";
import type { Provider, Rules } from "@/lib/model-rules/schema";
import { type Json, readArray, readObject } from "../../wire/canonical/json";
import type { Edits } from "../../wire/dialects/dialect";
import {
  field,
  generationConfig,
  givenName,
  objectField,
  partsOf,
} from "../../wire/dialects/gemini-generate-content/fields";
import { budgetsOf, encodeThinking } from "../../wire/dialects/gemini-generate-content/thinking";
import type { RequestFix } from "../channel-type";
import type { UpstreamOptions } from "../requests/upstream-options";

/** Suffixes that say how a model is to think; Google's own names have others. */
const SUFFIX = /-(nothinking|thinking(?:-(\d{1,6}))?)$/;

/** Google's name of the model. */
export function geminiModel(model: string, options: UpstreamOptions): string {
  const isRead = options["gemini.thinking_adapter_enabled"] && model.startsWith("gemini-");
  return isRead ? model.replace(SUFFIX, "") : model;
}

/** Names that end in "-thinking", "-nothinking" or "-thinking-<budget>". */
export function geminiThinking(provider: Provider): RequestFix {
  return (json, name, options) => {
    const model = geminiModel(name, options);
    const [, word, budget] = model === name ? [] : (SUFFIX.exec(name) ?? []);
    if (word === undefined) return {};
    return namedThinking(json, { word, budget, rules: rulesOf(model, provider, options["models.rules"]) }, options);
  };
}

type Named = { word: string; budget: string | undefined; rules: Rules };

function namedThinking(json: Readonly<Json>, { word, budget, rules }: Named, options: UpstreamOptions): Edits {
  if (rules.thinks === "never") return {};
  const { thinkingConfig: _, thinking_config: __, ...config } = generationConfig(json);
  const share = options["gemini.thinking_adapter_budget_tokens_percentage"];
  const room = readRoom(config, share);
  const thinkingConfig =
    word === "thinking" && budget === undefined ? openConfig(room, rules) : configOf(word, budget, rules);
  return { [givenName(json, "generationConfig")]: { ...config, thinkingConfig } };
}

const CALL = "functionCall";
const RESULT = "functionResponse";

/** Vertex AI knows no ids of calls and refuses them. It tells the results by the order of their calls. */
export const withoutCallIds: RequestFix = ({ contents }) => {
  const given = readArray(contents).map(readObject);
  const idOf = (part: Json, name: string): unknown => objectField(part, name).id;
  const hasId = (part: Json): boolean => idOf(part, CALL) !== undefined || idOf(part, RESULT) !== undefined;
  if (!given.some((content) => partsOf(content).some(hasId))) return {};
  /** The places of the calls by their ids. */
  let asked = new Map<unknown, number>();
  const written = given.map((content): Json => {
    const parts = partsOf(content);
    const calls = parts.filter((part) => field(part, CALL) !== undefined);
    // Of two calls with one id the first counts.
    if (calls.length > 0) asked = new Map(calls.map((part, place) => [idOf(part, CALL), place] as const).reverse());
    const isResult = (part: Json): boolean => field(part, RESULT) !== undefined;
    const place = (part: Json): number => asked.get(idOf(part, RESULT)) ?? -1;
    const results = parts.filter(isResult).sort((one, other) => place(one) - place(other));
    let next = 0;
    const sorted = parts.map((part) => (isResult(part) ? (results[next++] ?? part) : part));
    return { ...content, parts: sorted.map((part) => withoutId(withoutId(part, CALL), RESULT)) };
  });
  return { contents: written };
};

function withoutId(part: Json, name: string): Json {
  if (field(part, name) === undefined) return part;
  const { id: _, ...rest } = objectField(part, name);
  return { ...part, [givenName(part, name)]: rest };
}

function configOf(word: string, budget: string | undefined, rules: Rules): Json {
  if (word === "nothinking") return encodeThinking({ thinking: { type: "off" } }, rules) ?? {};
  const tokens = Number(budget);
  return encodeThinking({ thinking: tokens === 0 ? { type: "off" } : { type: "budget", tokens } }, rules) ?? {};
}

/** The share of the answer's limit that is for thoughts, which count in it; null = it has no limit. */
function readRoom(config: Json, share: number): number | null {
  const limit = field(config, "maxOutputTokens");
  return typeof limit === "number" && limit > 0 ? Math.floor(limit * share) : null;
}

/** Without a limit, and where it takes no budget, the model decides how much. */
function openConfig(room: number | null, rules: Rules): Json {
  if (rules.word === "level") return { includeThoughts: true };
  const { min, max } = budgetsOf(rules);
  const thinkingBudget = room === null ? -1 : Math.max(min, Math.min(room, max));
  return { thinkingBudget, includeThoughts: true };
}
