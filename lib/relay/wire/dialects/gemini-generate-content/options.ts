import { type Json, readObject } from "../../canonical/json";
import { isGiven, type OptionRule } from "../common/option-rule";
import { drawsPictures } from "../pictures/drawing";
import { modalitiesOf } from "./facts";
import { field, generationConfig, toolsOf } from "./fields";

/** Tools that the caller runs, or that cost nothing but the tokens they bring in. */
const PLAIN_TOOLS = /^(function_?declarations|computer_?use|code_?execution|url_?context)$/i;
const FREE_TIERS = new Set(["", "standard", "flex", "unspecified"]);
const PRICED_OUTPUTS = new Set(["TEXT", "AUDIO", "MODALITY_UNSPECIFIED"]);

/** What options of a request cost. */
export const options: readonly OptionRule[] = [
  {
    field: "serviceTier",
    becomes: "refused",
    param: "service_tier",
    note: "only standard and flex cost what the price says",
    applies: (json) => [json, generationConfig(json)].some((given) => !FREE_TIERS.has(tierOf(given))),
  },
  {
    field: "googleSearch, googleSearchRetrieval, googleMaps, fileSearch and other tools that run at Google",
    becomes: "refused",
    param: "tools",
    note: "they are charged by the call",
    applies: (json) => toolsOf(json).some((tool) => !Object.keys(tool).every((name) => PLAIN_TOOLS.test(name))),
  },
  {
    field: "cachedContent",
    becomes: "refused",
    param: "cachedContent",
    note: "caches are charged by the hour, and belong to the channel's account",
    applies: (json) => isGiven(field(json, "cachedContent")),
  },
  {
    field: "responseModalities",
    becomes: "refused",
    param: "modalities",
    note: "only text and audio have a price, and pictures of models that draw",
    applies: (json, model) =>
      !modalitiesOf(json).every((kind) => PRICED_OUTPUTS.has(kind) || (kind === "IMAGE" && drawsPictures(model))),
  },
  {
    field: "routingConfig, modelSelectionConfig",
    becomes: "refused",
    param: "routingConfig",
    note: "the price is that of one model",
    applies: (json) =>
      ["routingConfig", "modelSelectionConfig"].some((name) => isGiven(field(generationConfig(json), name))),
  },
  { field: "candidateCount", becomes: "counted", note: "every answer is in the usage" },
  { field: "thinkingConfig", becomes: "counted", note: "it changes only how much is written" },
  { field: "speechConfig", becomes: "counted", note: "audio tokens have a price of their own" },
  { field: "mediaResolution", becomes: "counted", note: "it changes only how many tokens media take" },
  { field: "codeExecution, urlContext and computerUse tools", becomes: "counted", note: "they cost only tokens" },
  {
    field: "safetySettings, responseLogprobs, logprobs, seed, labels, store",
    becomes: "free",
    note: "they are not charged",
  },
];

/** A word, its number, or an object with one of them. */
function tierOf(given: Json): string {
  const tier = field(given, "serviceTier") ?? "";
  const named = typeof tier === "object" && !Array.isArray(tier) ? (readObject(tier).type ?? "") : tier;
  return String(named)
    .toLowerCase()
    .replace(/^service_tier_/, "");
}
