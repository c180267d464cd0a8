import { priceUsage } from "@/lib/billing/price";
import { type BilledUsage, NO_USAGE, type PriceRow } from "@/lib/billing/types";

/** Quota for each token of a kind, and for each response of a model with a price per call. Near enough to reserve by. */
export type Rates = {
  text: number;
  cached: number;
  sound: number;
  picture: number;
  writtenText: number;
  writtenSound: number;
  call: number;
};

const MANY = 1_000_000;
const CACHED = { promptTokens: MANY, cachedTokens: MANY };

export function ratesOf(price: PriceRow): Rates {
  if (price.modelPrice !== null) {
    const call = priceUsage({ ...NO_USAGE, promptTokens: 1 }, price).quota;
    return { text: 0, cached: 0, sound: 0, picture: 0, writtenText: 0, writtenSound: 0, call };
  }
  const rate = (usage: Partial<BilledUsage>): number => priceUsage({ ...NO_USAGE, ...usage }, price).quota / MANY;
  const text = rate({ promptTokens: MANY });
  return {
    text,
    // Of which kind they are is told afterwards.
    cached: Math.max(
      rate(CACHED),
      rate({ ...CACHED, cachedAudioTokens: MANY }),
      rate({ ...CACHED, cachedImageTokens: MANY }),
    ),
    picture: Math.max(text, rate({ promptTokens: MANY, imagePromptTokens: MANY })),
    sound: Math.max(text, rate({ promptTokens: MANY, audioPromptTokens: MANY })),
    writtenText: rate({ completionTokens: MANY }),
    writtenSound: rate({ completionTokens: MANY, audioCompletionTokens: MANY }),
    call: 0,
  };
}
