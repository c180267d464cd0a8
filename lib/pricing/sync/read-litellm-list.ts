import type { MediaAmount } from "@/lib/billing/media-prices";
import type { Meter, MeterPrices } from "@/lib/meters";
import {
  asObject,
  type Json,
  type OfferedPrice,
  own,
  type ReadEntry,
  type RefusedReason,
  readAmount,
  toEntry,
  withMedia,
} from "./offer";

/** LiteLLM's list has USD per token. */
const UNIT_TOKENS = 1_000_000;
const SAMPLE = "sample_spec";
/** Kinds of models whose answers are charged by tokens. */
const WRITES_TEXT = new Set(["chat", "completion", "responses"]);
/** A price of something that is no token: a second, a picture, a page. */
const OTHER_UNIT = /^((input|output|ocr)_)?cost_per_(?!.*token)/;
/** A price of long prompts, steps of prices, or pictures and films dearer than text: only the plain price is taken. */
const MORE = /_cost(_per_token)?_above_\d|^tiered_pricing$|^output_cost_per_(image|video)_token$/;

/** Reads LiteLLM's model_prices_and_context_window.json. */
export function readLitellmList(list: Json): ReadEntry[] {
  return Object.entries(list).map(([model, value]) => {
    const entry = asObject(value);
    if (model === SAMPLE) return toEntry(model, "sample");
    if (!entry) return toEntry(model, "shape");
    const names = Object.keys(entry);
    const hasOtherUnit = names.some((name) => OTHER_UNIT.test(name) && entry[name] !== 0);
    const price = priceOf(entry, hasOtherUnit);
    const isWhole = typeof price === "object" && price.kind === "meters" && !hasMore(entry, price.meters);
    return toEntry(model, price, !isWhole && (hasOtherUnit || names.some((name) => MORE.test(name))));
  });
}

/** Tokens of sound and pictures. */
const MEDIA_FIELDS = [
  ["input_cost_per_audio_token", "audio"],
  ["output_cost_per_audio_token", "audioOut"],
  ["cache_read_input_token_cost_per_audio_token", "audioCached"],
  ["cache_read_input_audio_token_cost", "audioCached"],
  ["input_cost_per_image_token", "image"],
  ["cache_read_input_image_token_cost", "imageCached"],
] as const satisfies readonly (readonly [string, MediaAmount])[];

/** What a list's entry has per unit, by its name there. Time is charged once, whichever side of it the list names. */
const METER_FIELDS = [
  ["input_cost_per_second", "second"],
  ["output_cost_per_second", "second"],
  ["input_cost_per_character", "character"],
  ["output_cost_per_image", "picture"],
  ["input_cost_per_query", "search"],
  ["ocr_cost_per_page", "page"],
  ["input_cost_per_request", "request"],
] as const satisfies readonly (readonly [string, Meter])[];

/** Null = none. Two different prices of one meter: nobody knows which is meant. */
function metersOf(entry: Json): MeterPrices | null {
  const meters: Record<string, number> = {};
  for (const [field, meter] of METER_FIELDS) {
    const amount = readAmount(own(entry, field));
    if (amount === null || amount === 0) continue;
    if (meters[meter] !== undefined && meters[meter] !== amount) return null;
    meters[meter] = amount;
  }
  return Object.keys(meters).length > 0 ? meters : null;
}

/** A price of another unit that cannot be taken over. */
function hasMore(entry: Json, meters: MeterPrices): boolean {
  const taken: ReadonlySet<string> = new Set(
    METER_FIELDS.filter(([, meter]) => meter in meters).map(([field]) => field),
  );
  return Object.keys(entry).some((name) => /_?cost_per_/.test(name) && entry[name] !== 0 && !taken.has(name));
}

function priceOf(entry: Json, hasOtherUnit: boolean): OfferedPrice | RefusedReason {
  const perMillion = (name: string) => {
    const amount = readAmount(own(entry, name));
    // Prices of a token are no decimals that a computer knows exactly; twelve digits are.
    return amount === null ? null : Number((amount * UNIT_TOKENS).toPrecision(12));
  };
  const input = perMillion("input_cost_per_token");
  const output = perMillion("output_cost_per_token");
  // 0 for tokens where something else is charged is not "free".
  if (hasOtherUnit && (input ?? 0) === 0 && (output ?? 0) === 0) {
    const meters = WRITES_TEXT.has(String(own(entry, "mode") ?? "")) ? null : metersOf(entry);
    return meters ? { kind: "meters", meters } : "otherUnit";
  }
  if (input === null) return hasOtherUnit ? "otherUnit" : "inputMissing";
  if (hasOtherUnit && (input === 0 || !output)) return "otherUnit";
  if (output === null && WRITES_TEXT.has(String(own(entry, "mode") ?? "chat"))) return "outputMissing";
  const media = MEDIA_FIELDS.flatMap(([field, amount]) => {
    const usd = perMillion(field);
    return usd === null ? [] : [[amount, usd] as const];
  });
  const tokens: OfferedPrice = {
    kind: "tokens",
    input,
    output,
    cached: perMillion("cache_read_input_token_cost"),
    cacheWrite: perMillion("cache_creation_input_token_cost"),
  };
  return withMedia(tokens, Object.fromEntries(media));
}
