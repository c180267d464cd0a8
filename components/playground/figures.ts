import { type PriceRow, priceUsage } from "@/lib/billing/price";
import { estimateTokens } from "@/lib/estimate-tokens";
import type { ReportedUsage } from "./ask";
import type { AnswerFigures } from "./conversation";

type Timing = { totalMs: number; firstTokenMs: number | null };
type Priced = { price: PriceRow | null; groupRatio: number };

/**
 * Usage and cost of an answer, calculated by the relay's price function. Without reported usage the tokens are estimated from
 * the texts and marked as estimated; the log has the actual charge.
 */
export function toFigures(
  reported: ReportedUsage | null,
  texts: { prompt: string; answer: string },
  { price, groupRatio }: Priced,
  timing: Timing,
): AnswerFigures {
  const usage = reported ?? {
    promptTokens: tokensOf(texts.prompt),
    completionTokens: tokensOf(texts.answer),
    cachedTokens: 0,
  };
  const billed = {
    ...usage,
    cacheWriteTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
    estimated: reported === null,
  };
  const quota = price ? priceUsage(billed, { ...price, groupRatio }).quota : null;
  return { ...usage, quota, estimated: reported === null, ...timing };
}

function tokensOf(text: string): number {
  let ascii = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 128) ascii += 1;
  const otherBytes = new TextEncoder().encode(text).length - ascii;
  return estimateTokens(ascii, otherBytes);
}
