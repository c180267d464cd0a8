import { contextWindow } from "@/lib/billing/context-window";
import { factsOf, type ModelFacts } from "@/lib/billing/model-facts";
import { limitsOf } from "@/lib/billing/model-limits";
import { resolvePrice } from "@/lib/billing/price";
import type { PriceRow } from "@/lib/billing/types";
import type { OperationId } from "@/lib/operations";
import type { Snapshot } from "@/lib/snapshot/store";
import { tiersFor } from "@/lib/snapshot/tiers-for";
import { upstreamModelOf } from "@/lib/snapshot/upstream-model";
import type { Caller } from "../../admission/authenticate";
import { effectiveGroup } from "../../routing/route";
import { purposeOf } from "./callable-models";

/** Kinds of models as LiteLLM names them in `mode`. */
const MODES: Readonly<Record<OperationId, string>> = {
  chat: "chat",
  completions: "completion",
  embeddings: "embedding",
  rerank: "rerank",
  moderations: "moderation",
  images: "image_generation",
  image_edits: "image_edit",
  speech: "audio_speech",
  transcriptions: "audio_transcription",
  realtime: "realtime",
  drawing: "image_generation",
  music: "music_generation",
  videos: "video_generation",
};

/** What the lists say of a model beside a dialect's own fields, in the names of OpenRouter and LiteLLM. What is unknown is left out. */
export type ModelDetails = Readonly<Record<string, unknown>>;

/** For each snapshot: group and whether models without a price are taken → model → details. */
const known = new WeakMap<Snapshot, Map<string, Map<string, ModelDetails>>>();

/** The details of models as this caller has them: prices are those of the caller's group. Each is made once for a snapshot. */
export function detailsFor(caller: Caller, snapshot: Snapshot): (model: string) => ModelDetails {
  const group = effectiveGroup(caller, snapshot);
  const key = JSON.stringify([group, caller.user.acceptsUnpriced]);
  const groups = known.get(snapshot) ?? new Map<string, Map<string, ModelDetails>>();
  known.set(snapshot, groups);
  const made = groups.get(key) ?? new Map<string, ModelDetails>();
  groups.set(key, made);
  return (model) => {
    const present = made.get(model);
    if (present) return present;
    const details = detailsOf(model, group, caller, snapshot);
    made.set(model, details);
    return details;
  };
}

function detailsOf(model: string, group: string, caller: Caller, snapshot: Snapshot): ModelDetails {
  const { options } = snapshot;
  const upstream = nameAtUpstream(model, group, snapshot);
  const facts = factsOf(upstream);
  const context = contextWindow(upstream);
  const limits = limitsOf(Object.hasOwn(options.ModelMaxOutput, model) ? model : upstream, options);
  const output = limits.isKnown ? limits.output : undefined;
  const purpose = purposeOf(model, caller, snapshot);
  const price = resolvePrice(model, options.GroupRatio[group] ?? 1, options, caller.user.acceptsUnpriced);
  return {
    ...(purpose === null ? {} : { mode: MODES[purpose] }),
    ...(context === null ? {} : { context_length: context }),
    ...(output === undefined ? {} : { max_output_tokens: output }),
    ...architectureOf(facts),
    ...(context === null && output === undefined
      ? {}
      : { top_provider: { context_length: context, max_completion_tokens: output ?? null, is_moderated: false } }),
    ...(price === null ? {} : { pricing: pricingOf(price, facts) }),
  };
}

/** A name of the operator's own stands for the model that it is mapped to, where all channels agree. */
function nameAtUpstream(model: string, group: string, snapshot: Snapshot): string {
  if (factsOf(model).vendor !== undefined) return model;
  const channels = tiersFor(snapshot.abilities.get(group), model).flat();
  const names = new Set(channels.map((channel) => upstreamModelOf(model, channel, false) ?? model));
  const [only] = names;
  return names.size === 1 && only !== undefined ? only : model;
}

function architectureOf({ input, output }: ModelFacts): ModelDetails {
  if (!input && !output) return {};
  return {
    architecture: {
      ...(input && output ? { modality: `${input.join("+")}->${output.join("+")}` } : {}),
      ...(input ? { input_modalities: input } : {}),
      ...(output ? { output_modalities: output } : {}),
    },
  };
}

/** USD of a token or a request in the caller's group, as decimal texts; a price per meter stands beside them. */
function pricingOf(price: PriceRow, { input, output }: ModelFacts): ModelDetails {
  const { modelRatio, groupRatio, quotaPerUnit, modelPrice, meterPrices } = price;
  const ofMeters = Object.entries(meterPrices ?? {}).map(([meter, usd]) => [meter, decimal(usd * groupRatio)]);
  const meters = meterPrices ? { meters: Object.fromEntries(ofMeters) } : {};
  if (modelPrice !== null)
    return { prompt: "0", completion: "0", request: decimal(modelPrice * groupRatio), ...meters };
  const token = (ratio: number): string => decimal((modelRatio * ratio * groupRatio) / quotaPerUnit);
  const { audioRatio, audioCompletionRatio } = price;
  return {
    prompt: token(price.promptRatio ?? 1),
    completion: token(price.completionRatio),
    request: "0",
    input_cache_read: token(price.cacheRatio),
    input_cache_write: token(price.createCacheRatio),
    ...(input?.includes("audio") ? { audio: token(audioRatio) } : {}),
    ...(output?.includes("audio") ? { audio_output: token(audioRatio * audioCompletionRatio) } : {}),
    ...meters,
  };
}

/** Without an exponent and without the noise of binary fractions. */
function decimal(amount: number): string {
  if (amount === 0) return "0";
  const places = Math.min(20, Math.max(1, 11 - Math.floor(Math.log10(Math.abs(amount)))));
  return amount.toFixed(places).replace(/\.?0+$/, "");
}
