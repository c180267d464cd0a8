import { Worker } from "node:worker_threads";
import { estimateTokens } from "@/lib/estimate-tokens";
import { logger } from "@/lib/logger";
import { type CountRequest, type CountThread, encodingOf, TokenCounter } from "./token-counter";

/** At most this many characters are tokenised: some 20 ms, at worst 200. Longer texts are extrapolated from parts of them. */
const SAMPLE_MAX = 65_536;
const SPAN = 1_024;
const LOG_MS = 60_000;

function startThread(): CountThread {
  // Written so that bundlers find the file. The tables take some 50 MB.
  return new Worker(new URL("./count-thread.mjs", import.meta.url), {
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
}

type Counter = { count: (request: CountRequest) => Promise<number | null> };

let missed = 0;
let loggedAt = Number.NEGATIVE_INFINITY;

/** Logged once a minute, because it can happen with each request. */
function onMissed(reason: string): void {
  missed += 1;
  const now = performance.now();
  if (now - loggedAt < LOG_MS) return;
  loggedAt = now;
  logger.warn({ reason, missed }, "tokens could not be counted; lengths are taken instead");
  missed = 0;
}

/** One thread for the process, started at the first use: most processes never need it. */
const counter = new TokenCounter({ startThread, onMissed, countMs: 2_000, countsMax: 128, restMs: 10_000 });

/** For counts that nobody is charged by: they never make those wait that somebody is. */
export const freeCounter: Counter = { count: (request) => counter.count(request, true) };

/**
 * Counts tokens with the encoding of the model's family, in a thread. Exact up to 65,536 characters, extrapolated by length
 * beyond. Estimated by length when the thread does not count it in time. Never rejects.
 */
export async function countTokens(texts: readonly string[], model: string, by: Counter = counter): Promise<number> {
  const { parts, share } = sampleTexts(texts, SAMPLE_MAX, SPAN);
  if (parts.every((part) => part === "")) return 0;
  const counted = await by.count({ encoding: encodingOf(model), texts: parts });
  return Math.ceil((counted ?? estimateByLength(parts)) / share);
}

function estimateByLength(parts: readonly string[]): number {
  return estimateTokens(
    0,
    parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0),
  );
}

/**
 * Parts of texts, spread evenly over all of them, of about `most` characters together. Texts that are no longer than that
 * are returned whole. `span` = the length of a part.
 */
export function sampleTexts(
  texts: readonly string[],
  most: number,
  span: number,
): { parts: readonly string[]; share: number } {
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  if (length <= most) return { parts: texts, share: 1 };
  const stride = Math.ceil((length * span) / most);
  const parts: string[] = [];
  let seen = 0;
  let textAt = 0;
  for (const text of texts) {
    const end = textAt + text.length;
    for (let at = textAt - (textAt % stride); at < end; at += stride) {
      const part = text.slice(Math.max(0, at - textAt), Math.max(0, at + span - textAt));
      if (part === "") continue;
      parts.push(part);
      seen += part.length;
    }
    textAt = end;
  }
  return { parts, share: seen / length };
}
