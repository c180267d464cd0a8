import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import type { Rates } from "./rates";

export const BYTES_PER_TOKEN = 3;

/** A piece of an answer. `bytes`: of its text, or of its base64. */
export type Piece = { isSound: boolean; bytes: number };

/** What an event adds to the conversation. `fourBytes`: of its text, in characters of four; `soundLength`: of its base64. */
export type Said = { textBytes: number; fourBytes: number; soundLength: number; pictures: number };

/** Tokens as estimated, and the quota that they may cost beyond that: denser text, a cache that is missed. */
export type Input = { text: number; sound: number; cached: number; spare: number };

export const nothing = (): Input => ({ text: 0, sound: 0, cached: 0, spare: 0 });

export function costOf({ text, sound, cached }: Input, rates: Rates): number {
  return text * rates.text + sound * rates.sound + cached * rates.cached;
}

/** A response that runs. `unseen`: tokens that it may have thought; `reserved`: quota that it may have cost so far. */
export type Running = Input & { writtenBytes: number; spoken: number; unseen: number; reserved: number };

export function startOf(input: Input, unseen: number, reserved: number): Running {
  return { ...input, writtenBytes: 0, spoken: 0, unseen, reserved };
}

/** What it costs a later response to read what these have written, and may have thought. */
export function costOfReadingWritten(all: Iterable<Running>, rates: Rates): number {
  let cost = 0;
  for (const { unseen, writtenBytes, spoken } of all)
    cost += (unseen + writtenBytes / BYTES_PER_TOKEN) * rates.text + spoken * rates.sound;
  return cost;
}

/** What they have used. `countsUnwritten`: what has written nothing yet has read its input all the same. */
export function usageOf(all: readonly Running[], countsUnwritten: boolean): BilledUsage {
  const usage = { ...NO_USAGE, estimated: true };
  for (const { text, sound, cached, writtenBytes, spoken } of all) {
    if (!countsUnwritten && writtenBytes === 0 && spoken === 0) continue;
    usage.promptTokens += Math.ceil(text) + Math.ceil(sound) + cached;
    usage.audioPromptTokens += Math.ceil(sound);
    usage.cachedTokens += cached;
    usage.completionTokens += Math.ceil(writtenBytes / BYTES_PER_TOKEN) + Math.ceil(spoken);
    usage.audioCompletionTokens += Math.ceil(spoken);
  }
  return usage.promptTokens + usage.completionTokens === 0 ? NO_USAGE : usage;
}
