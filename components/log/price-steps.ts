import { METERS, type Meter } from "@/lib/meters";
import type { BillKind } from "./bill";

export type RatioName =
  | "model"
  | "completion"
  | "cache"
  | "cacheWrite"
  | "audio"
  | "audioCompletion"
  | "audioCache"
  | "image"
  | "imageCache"
  | "group";

/** One price: the multiplied ratios and their product. */
export type PriceStep = { kind: BillKind; ratios: { name: RatioName; value: number }[]; product: number };

/** What a meter cost: the price of a unit before the group ratio. */
export type MeterStep = { meter: Meter; variant: string; price: number; group: number };

export type PriceSteps =
  | { mode: "ratio"; steps: PriceStep[]; meters: MeterStep[]; quotaPerUnit: number }
  | { mode: "call"; price: number; group: number };

/**
 * The prices of a charge as recorded in the log row (contract §5.8): model ratio × group ratio for the prompt, times the
 * completion ratio for the completion, and the audio ratios if there was audio. `quotaPerUnit` is the fallback if the row has
 * none. Null for a row without prices.
 */
export function readPriceSteps(other: Record<string, unknown>, quotaPerUnit: number): PriceSteps | null {
  const number = (key: string): number | null => {
    const value = other[key];
    return typeof value === "number" && Number.isFinite(value) ? value : null;
  };
  const group = number("group_ratio") ?? 1;
  const price = number("model_price");
  if (price !== null && price >= 0) return { mode: "call", price, group };
  const model = number("model_ratio");
  if (model === null) return null;
  const meters = readMeters(other.meters, group);
  const step = (kind: BillKind, ...between: [RatioName, number | null][]): PriceStep[] => {
    if (between.some(([, value]) => value === null) || (model === 0 && meters.length > 0)) return [];
    const ratios = [
      { name: "model" as const, value: model },
      ...between.map(toRatio),
      { name: "group" as const, value: group },
    ];
    return [{ kind, ratios, product: ratios.reduce((product, { value }) => product * value, 1) }];
  };
  const isAudio = other.audio === true || other.ws === true;
  const audio = number("audio_ratio");
  const used = (key: string): boolean => (number(key) ?? 0) > 0;
  const steps = [
    ...step("prompt"),
    ...step("completion", ["completion", number("completion_ratio")]),
    ...((number("cache_tokens") ?? 0) > 0 ? step("cached", ["cache", number("cache_ratio")]) : []),
    ...((number("cache_creation_tokens") ?? 0) > 0
      ? step("cacheWrite", ["cacheWrite", number("cache_creation_ratio")])
      : []),
    ...(used("audio_cached") ? step("cachedAudio", ["audioCache", number("audio_cache_ratio")]) : []),
    ...(used("image_cached") ? step("cachedImage", ["imageCache", number("image_cache_ratio")]) : []),
    ...(isAudio ? step("audioPrompt", ["audio", audio]) : []),
    ...(used("image_input") ? step("imagePrompt", ["image", number("image_ratio")]) : []),
    ...(isAudio
      ? step("audioCompletion", ["audio", audio], ["audioCompletion", number("audio_completion_ratio")])
      : []),
  ];
  return { mode: "ratio", steps, meters, quotaPerUnit: number("quota_per_unit") ?? quotaPerUnit };
}

function readMeters(meters: unknown, group: number): MeterStep[] {
  if (!Array.isArray(meters)) return [];
  return meters.flatMap((item: unknown) => {
    const { meter, variant, price } = (item ?? {}) as Record<string, unknown>;
    const known = METERS.find((name) => name === meter);
    if (!known || typeof price !== "number") return [];
    return [{ meter: known, variant: typeof variant === "string" ? variant : "", price, group }];
  });
}

function toRatio([name, value]: [RatioName, number | null]): { name: RatioName; value: number } {
  return { name, value: value ?? 0 };
}

/** Money per million tokens for a product of ratios. */
export function pricePerMillion(product: number, quotaPerUnit: number): number {
  return (product * 1_000_000) / quotaPerUnit;
}
