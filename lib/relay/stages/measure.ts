import type { BilledUsage } from "@/lib/billing/price";
import { logger } from "@/lib/logger";
import { findLastObject } from "../json-splice";
import { countTokens } from "../tokens/count-tokens";
import { answerTexts, type Countable, promptTexts, streamTexts } from "../tokens/texts";
import { measureText } from "../transport/text-length";
import { estimatedUsage, estimatePromptTokens, estimateTokens, readUsage } from "../usage";
import type { Answered, Delivery } from "./dispatch";
import type { ChatRequest } from "./parse-chat";

const USAGE_KEY = Buffer.from('"usage"');

/**
 * What a request used: what the upstream reported, at once; or, when it reported nothing, what the texts count, by a
 * promise that never rejects. Nothing when no upstream got the request.
 */
export function measureUsage(chat: ChatRequest, delivery: Delivery): BilledUsage | Promise<BilledUsage> {
  const neverAsked = delivery.outcome === "gone" && !delivery.wasSent;
  if (delivery.outcome === "failed" || neverAsked) return { ...estimatedUsage(0, 0), estimated: false };
  const fromTotal = delivery.upstream?.provider.completionFromTotal === true;
  const reported = delivery.outcome === "whole" ? findLastObject(delivery.body, USAGE_KEY) : delivery.scanner?.usage;
  const usage = reported ? readUsage(reported, fromTotal) : null;
  return usage ?? countUsage(chat, delivery);
}

async function countUsage(chat: ChatRequest, delivery: Answered): Promise<BilledUsage> {
  try {
    const prompt = promptTexts(chat.json, chat.messages);
    return estimatedUsage((await countTokens(prompt.texts)) + prompt.extra, await countCompletion(delivery));
  } catch (error) {
    logger.error({ err: error }, "tokens could not be counted; lengths are taken instead");
    return estimateByLength(chat, delivery);
  }
}

async function countCompletion(delivery: Answered): Promise<number> {
  if (delivery.outcome === "whole") return await countTexts(answerTexts(delivery.body));
  const { scanner } = delivery;
  if (!scanner) return 0;
  const { frames, isAll } = scanner.sample();
  const sampled = streamTexts(frames);
  const counted = await countTexts(sampled);
  if (isAll) return counted;
  const sampleBytes = Buffer.byteLength(sampled.texts.join(""));
  const { asciiBytes, otherBytes } = scanner.textLength();
  if (sampleBytes === 0) return counted + estimateTokens(asciiBytes, otherBytes);
  return Math.ceil(counted * Math.max(1, (asciiBytes + otherBytes) / sampleBytes));
}

async function countTexts({ texts, extra }: Countable): Promise<number> {
  return (await countTokens(texts)) + extra;
}

function estimateByLength(chat: ChatRequest, delivery: Answered): BilledUsage {
  const text = delivery.outcome === "whole" ? measureText(delivery.body) : delivery.scanner?.textLength();
  const completion = text ? estimateTokens(text.asciiBytes, text.otherBytes) : 0;
  return estimatedUsage(estimatePromptTokens(chat.json, chat.messages), completion);
}
