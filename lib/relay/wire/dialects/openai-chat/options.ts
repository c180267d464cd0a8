import { type Json, readArray, readList, readObject } from "../../canonical/json";
import { isBeyond, isGiven, isLongCache, type OptionRule } from "../common/option-rule";
import { drawsPictures } from "../pictures/drawing";
import { isOwnTool } from "./facts";

const FREE_TIERS = ["auto", "default", "flex"];
const PRICED_OUTPUTS = new Set(["text", "audio"]);

const given =
  (name: string) =>
  (json: Json, _model: string): boolean =>
    isGiven(json[name]);

function refused(name: string, note: string, applies = given(name)): OptionRule {
  return { field: name, becomes: "refused", param: name, note, applies };
}

/** What options of a chat request cost, also those of other upstreams that speak this format. */
export const options: readonly OptionRule[] = [
  refused("service_tier", "only auto, default and flex cost what the price says", isBeyond("service_tier", FREE_TIERS)),
  refused("priority", "faster answers cost more"),
  refused("speed", "faster answers cost more", isBeyond("speed", ["standard"])),
  refused("inference_geo", "a chosen region costs more", isBeyond("inference_geo", ["global"])),
  refused("web_search_options", "searches are charged by the call"),
  refused("search_parameters", "searches are charged by the source"),
  refused("enable_search", "searches are charged by the call"),
  refused("search_options", "searches are charged by the call"),
  refused("plugins", "plugins are charged by the call"),
  refused("route", "the price is that of one model"),
  refused("provider", "other providers have other prices"),
  {
    field: "tools that run at the upstream",
    becomes: "refused",
    param: "tools",
    note: "they are charged by the call",
    applies: (json) => !readList(json.tools).every(isOwnTool),
  },
  {
    field: "cache_control.ttl",
    becomes: "refused",
    param: "cache_control",
    note: "only a cache of 5m costs what the price says",
    applies: (json) =>
      isLongCache(json) || readList(json.tools).some(isLongCache) || readArray(json.messages).some(hasLongCache),
  },
  refused(
    "modalities",
    "only text and audio have a price, and pictures of models that draw",
    (json, model) =>
      !readList(json.modalities).every(
        (kind) => PRICED_OUTPUTS.has(String(kind)) || (kind === "image" && drawsPictures(model)),
      ),
  ),
  { field: "models", becomes: "counted", note: "the price is that of the model that answers" },
  { field: "audio", becomes: "counted", note: "audio tokens have a price of their own" },
  { field: "n", becomes: "counted", note: "every answer is in the usage" },
  { field: "prediction", becomes: "counted", note: "rejected tokens are completion tokens" },
  {
    field: "reasoning_effort, reasoning, thinking, verbosity, extra_body.google.thinking_config",
    becomes: "counted",
    note: "they change only how much is written",
  },
  {
    field: "prompt_cache_key, prompt_cache_retention",
    becomes: "free",
    note: "cached tokens have a price of their own",
  },
  {
    field: "logprobs, top_logprobs, logit_bias, seed, store, metadata, user",
    becomes: "free",
    note: "they are not charged",
  },
];

/** Each request is looked at, however long it is: no lists are made. */
function hasLongCache(message: unknown): boolean {
  const { content } = readObject(message);
  return isLongCache(message) || (Array.isArray(content) ? content.some(isLongCache) : isLongCache(content));
}
