import { MEDIA_RATIOS, type MediaAmounts, toMediaAmounts } from "@/lib/billing/media-prices";
import { isMeterKey, isMeterPrices, type MeterPrices } from "@/lib/meters";

/** What one call can take over; the rest takes another call. */
export const SELECTED_MAX = 5_000;

/** A price that a list offers, in USD: per call, per million tokens, or per unit of its meters. */
export type OfferedPrice =
  | { kind: "call"; call: number }
  | {
      kind: "tokens";
      input: number;
      /** Null here and below = the list says nothing: the ratio in force stays. */
      output: number | null;
      cached: number | null;
      cacheWrite: number | null;
      /** Of sound and pictures; absent = the list says nothing. */
      media?: MediaAmounts;
      /** Charged beside the tokens; absent = the list says nothing: those in force stay. */
      meters?: MeterPrices;
    }
  | { kind: "meters"; meters: MeterPrices };

export type Offer = {
  model: string;
  price: OfferedPrice;
  /** The list has more to it, such as higher prices of long prompts, which cannot be taken over. */
  isPartial: boolean;
};

/** Why an entry of a list is not offered; each is a message under "priceSync.reason". */
export type RefusedReason =
  | "name"
  | "shape"
  | "sample"
  | "duplicate"
  | "inputMissing"
  | "outputMissing"
  | "number"
  | "tooSmall"
  | "tooHigh"
  | "otherUnit"
  | "outputWithoutInput"
  | "unpriced";

/** The name is shortened where it is no model's name. */
export type RefusedEntry = { model: string; reason: RefusedReason };

export type ReadEntry = Offer | RefusedEntry;

/** USD per call or per million tokens; more than a hundred times the dearest model there is. */
const PRICE_MAX = 1_000_000;
/** USD per million tokens. A ratio has twelve decimal places: smaller ones would lose digits, and at last be nothing. */
const PRICE_MIN = 0.000_001;
/** Of another price to the input price; ratios have few digits beyond it. */
const RATIO_MAX = 1_000_000;
const NAME_MAX = 255;
const NAME_SHOWN_MAX = 80;
const UNIT_TOKENS = 1_000_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const UNUSABLE = /[\u0000-\u001f\u007f,]/;

/** Whether a model can have this name: channels list their models separated by commas. */
export function isModelName(name: string): boolean {
  return name !== "" && name.length <= NAME_MAX && name === name.trim() && !UNUSABLE.test(name) && !(name in {});
}

/** A price as a list has it: null = absent, NaN = no usable number. */
export function readAmount(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : Number.NaN;
}

/** Prices of meters as a list has them: null = absent; no usable number is NaN, which is refused later. */
export function readMeters(value: unknown): MeterPrices | null {
  if (value === undefined || value === null) return null;
  const entries = Object.entries(asObject(value) ?? { "?": Number.NaN });
  return Object.fromEntries(entries.map(([key, amount]) => [key, readAmount(amount) ?? Number.NaN]));
}

/** What is wrong with an offered price; null = nothing. */
export function checkPrice(price: OfferedPrice): RefusedReason | null {
  if (price.kind === "call") return checkAmounts([price.call]);
  const ofMeters = price.meters && checkMeters(price.meters);
  if (ofMeters || price.kind === "meters") return ofMeters ?? null;
  const { input, output, cached, cacheWrite, media = {} } = price;
  const others = [output ?? 0, cached ?? 0, cacheWrite ?? 0, ...Object.values(media)];
  const issue = checkAmounts([input, ...others]);
  if (issue) return issue;
  // Ratios are relative to the input price, so that these would be free.
  if (input === 0 && others.some((amount) => amount > 0)) return "outputWithoutInput";
  if (input > 0 && input < PRICE_MIN) return "tooSmall";
  const ratios = others.map((amount) => (input === 0 ? 0 : amount / input));
  if (ratios.some((ratio) => ratio > RATIO_MAX)) return "tooHigh";
  return ratios.some((ratio) => ratio > 0 && ratio < 1 / RATIO_MAX) ? "tooSmall" : null;
}

function checkMeters(meters: MeterPrices): RefusedReason | null {
  const amounts = Object.values(meters);
  const issue = checkAmounts(amounts);
  if (issue) return issue;
  if (amounts.length === 0 || !Object.keys(meters).every(isMeterKey)) return "shape";
  return isMeterPrices(meters) ? null : "tooSmall";
}

function checkAmounts(amounts: readonly number[]): RefusedReason | null {
  if (amounts.some((amount) => !(Number.isFinite(amount) && amount >= 0))) return "number";
  return amounts.some((amount) => amount > PRICE_MAX) ? "tooHigh" : null;
}

/** An entry of a list: offered, or refused with the reason. */
export function toEntry(model: string, price: OfferedPrice | RefusedReason, isPartial = false): ReadEntry {
  if (!isModelName(model)) return { model: model.slice(0, NAME_SHOWN_MAX), reason: "name" };
  const reason = typeof price === "string" ? price : checkPrice(price);
  return reason ? { model, reason } : { model, price: price as OfferedPrice, isPartial };
}

export function isRefused(entry: ReadEntry): entry is RefusedEntry {
  return "reason" in entry;
}

type Ratios = Record<"ratio" | "completion" | "cache" | "createCache", number | null>;

/** Ratios as USD; `quotaPerUnit` is that of the list. */
export function ratiosToPrice(
  { ratio, completion, cache, createCache }: Ratios,
  quotaPerUnit: number,
): OfferedPrice | RefusedReason {
  if (ratio === null) return "inputMissing";
  const input = (ratio * UNIT_TOKENS) / quotaPerUnit;
  const times = (other: number | null) => (other === null ? null : input * other);
  return { kind: "tokens", input, output: times(completion), cached: times(cache), cacheWrite: times(createCache) };
}

/** A price of tokens with those of sound and pictures. */
export function withMedia(price: OfferedPrice | RefusedReason, media: MediaAmounts): OfferedPrice | RefusedReason {
  const has = typeof price === "object" && price.kind === "tokens" && Object.keys(media).length > 0;
  return has ? { ...price, media } : price;
}

/** Ratios of sound and pictures by their names in a list, as amounts. */
export function readMediaRatios(
  valueAt: (wire: string) => unknown,
  ratio: number | null,
  quotaPerUnit: number,
): MediaAmounts {
  const ratios = MEDIA_RATIOS.flatMap(({ wire, field }) => {
    const value = readAmount(valueAt(wire));
    return value === null ? [] : [[field, value] as const];
  });
  return toMediaAmounts(Object.fromEntries(ratios), ((ratio ?? 0) * UNIT_TOKENS) / quotaPerUnit);
}

/** A price of tokens with meters beside them. */
export function withMeters(
  price: OfferedPrice | RefusedReason,
  meters: MeterPrices | null,
): OfferedPrice | RefusedReason {
  return meters && typeof price === "object" && price.kind === "tokens" ? { ...price, meters } : price;
}

export type Json = Record<string, unknown>;

/** A JSON object; null for anything else. */
export function asObject(value: unknown): Json | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
}

/** An own property; undefined where there is none. */
export function own(map: Json | null, key: string): unknown {
  return map && Object.hasOwn(map, key) ? map[key] : undefined;
}
