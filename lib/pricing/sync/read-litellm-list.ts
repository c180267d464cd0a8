import {
  asObject,
  type Json,
  type OfferedPrice,
  own,
  type ReadEntry,
  type RefusedReason,
  readAmount,
  toEntry,
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
    return toEntry(model, priceOf(entry, hasOtherUnit), hasOtherUnit || names.some((name) => MORE.test(name)));
  });
}

function priceOf(entry: Json, hasOtherUnit: boolean): OfferedPrice | RefusedReason {
  const perMillion = (name: string) => {
    const amount = readAmount(own(entry, name));
    // Prices of a token are no decimals that a computer knows exactly; twelve digits are.
    return amount === null ? null : Number((amount * UNIT_TOKENS).toPrecision(12));
  };
  const input = perMillion("input_cost_per_token");
  const output = perMillion("output_cost_per_token");
  if (input === null) return hasOtherUnit ? "otherUnit" : "inputMissing";
  // 0 for tokens where something else is charged is not "free".
  if (hasOtherUnit && (input === 0 || !output)) return "otherUnit";
  if (output === null && WRITES_TEXT.has(String(own(entry, "mode") ?? "chat"))) return "outputMissing";
  return {
    kind: "tokens",
    input,
    output,
    cached: perMillion("cache_read_input_token_cost"),
    cacheWrite: perMillion("cache_creation_input_token_cost"),
  };
}
