import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { estimateTokens } from "@/lib/estimate-tokens";
import type { Report } from "../../answers/answer";
import { countTokens } from "../../base/tokens/count-tokens";
import { NOTHING_USED } from "../../wire/canonical/nothing-used";
import type { Usage } from "../../wire/canonical/usage";
import type { Countable } from "../../wire/dialects/dialect";
import type { Sent } from "../operation";
import type { ChatSource } from "./chat-source";
import { judgeUsage } from "./judge-usage";

/** What text takes on average with o200k_base. */
const ASCII_BYTES_PER_TOKEN = 4;
const OTHER_BYTES_PER_TOKEN = 3;

/**
 * The usage of a conversation. Returns the upstream's usage synchronously where it can be true, else counts the texts.
 * That promise never rejects.
 */
export function measureChat(
  source: ChatSource,
  report: Report | null,
  sent: Sent | null,
): BilledUsage | Promise<BilledUsage> {
  const usage = report?.usage;
  if (!report || !usage) return countUsage(source, report);
  if (usage === NOTHING_USED) return isSilent(report, sent) ? NO_USAGE : countUsage(source, report);
  if (!sent) return billedUsage(usage);
  const billed = judgeUsage(billedUsage(usage, report.isEstimated), sent, source.facts, report.textBytes);
  const isShort = usage.completionTokens === 0 && report.textBytes() > 0;
  // Every prompt has tokens: none of them is a count that is missing or could not be read.
  const isPart = isShort || usage.promptTokens === 0;
  if ((sent.isAnswered || report.isComplete) && !isPart) return billed;
  // Reported before the end: what came after it is not in it.
  return countUsage(source, report).then((counted) => larger(billed, counted));
}

/** An answer that came to its end with nothing in it. */
function isSilent(report: Report, sent: Sent | null): boolean {
  const isOver = sent === null || sent.isAnswered || report.isComplete;
  if (!isOver || report.holdsMore?.() === true) return false;
  const { countable, isAll } = report.sample();
  return isAll && countable.extra === 0 && countable.texts.join("") === "";
}

/** The counted answer replaces the reported one where it is longer, and the counted prompt one that was not reported. */
function larger(reported: BilledUsage, counted: BilledUsage): BilledUsage {
  const isPromptKnown = reported.promptTokens > 0;
  if (counted.completionTokens <= reported.completionTokens && isPromptKnown) return reported;
  const promptTokens = reported.promptTokens || counted.promptTokens;
  const completionTokens = Math.max(reported.completionTokens, counted.completionTokens);
  return { ...reported, promptTokens, completionTokens, estimated: true };
}

/** A running stream: reported usage can be that of its beginning, so what was delivered since counts as well. */
export function measureRunning(
  promptTokens: number,
  report: Report,
): { promptTokens: number; completionTokens: number } {
  const { asciiBytes, otherBytes } = report.textLength();
  const delivered = Math.floor(asciiBytes / ASCII_BYTES_PER_TOKEN) + Math.floor(otherBytes / OTHER_BYTES_PER_TOKEN);
  return {
    promptTokens: report.usage?.promptTokens || promptTokens,
    completionTokens: Math.max(report.usage?.completionTokens ?? 0, delivered),
  };
}

/** A prompt's tokens by its length; not on the high side, because nothing is left to compare it with. */
export function estimatePrompt(source: ChatSource): number {
  const { texts, extra } = source.dialect.client.promptTexts(source.json);
  return Math.floor(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / ASCII_BYTES_PER_TOKEN) + extra;
}

function billedUsage(usage: Usage, estimated = false): BilledUsage {
  return {
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    cachedTokens: usage.cachedTokens,
    cacheWriteTokens: usage.cacheWriteTokens,
    audioPromptTokens: usage.audioPromptTokens,
    audioCompletionTokens: usage.audioCompletionTokens,
    ...(usage.imagePromptTokens ? { imagePromptTokens: usage.imagePromptTokens } : null),
    ...(usage.cachedAudioTokens ? { cachedAudioTokens: usage.cachedAudioTokens } : null),
    ...(usage.cachedImageTokens ? { cachedImageTokens: usage.cachedImageTokens } : null),
    estimated,
  };
}

async function countUsage(source: ChatSource, report: Report | null): Promise<BilledUsage> {
  const { model } = source;
  const [prompt, completion] = await Promise.all([
    countTexts(source.dialect.client.promptTexts(source.json), model),
    countCompletion(report, model),
  ]);
  return estimatedUsage(prompt, completion);
}

async function countCompletion(report: Report | null, model: string): Promise<number> {
  if (!report) return 0;
  const { countable, isAll, length } = report.sample();
  const counted = await countTexts(countable, model);
  if (isAll) return counted;
  const sampleBytes = Buffer.byteLength(countable.texts.join(""));
  if (sampleBytes === 0) return counted + estimateTokens(length.asciiBytes, length.otherBytes);
  return Math.ceil(counted * Math.max(1, (length.asciiBytes + length.otherBytes) / sampleBytes));
}

async function countTexts({ texts, extra }: Countable, model: string): Promise<number> {
  return (await countTokens(texts, model)) + extra;
}

function estimatedUsage(promptTokens: number, completionTokens: number): BilledUsage {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
    estimated: true,
  };
}
