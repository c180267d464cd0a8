import type { Attachments } from "../dialect";

/** Calls of tools that run at the upstream. */
export type HostedCalls = {
  /** How many a request can cause. */
  most: number;
  /** With so few it can still be asked; `most` where no field of the request limits them. */
  least: number;
  /** What the result of one brings into the prompt; null = as much as the model's window holds. */
  tokens: number | null;
};

/** What an upstream reads or writes for a request, and what the request's body does not show. */
export type HiddenContent = {
  /** Prompts that the model may read: one, and another one after each call of a tool that runs at the upstream. */
  rounds: number;
  roundsLeast: number;
  /** What each round adds to the prompt; null = as much as the window holds. */
  roundTokens: number | null;
  /** Tokens of what the upstream has stored; 0 = nothing of it is named, null = not known. */
  storedTokens: number | null;
  /** It can be sound, which has a price of its own. */
  maySound: boolean;
  /** Bytes that are charged as an answer wherever they differ from it. */
  predictedBytes: number;
};

export const NO_CALLS: HostedCalls = { most: 0, least: 0, tokens: 0 };

/** Undefined = the body shows all of it, as that of most requests. */
export function hiddenContent(
  { hasUnknownSize, hasStoredFiles, maySound }: Attachments,
  calls: HostedCalls,
  { isStored = false, predictedBytes = 0 } = {},
): HiddenContent | undefined {
  const isLookedUp = isStored || hasStoredFiles;
  if (!hasUnknownSize && calls.most === 0 && !isLookedUp && predictedBytes === 0) return undefined;
  return {
    rounds: 1 + calls.most,
    roundsLeast: 1 + calls.least,
    roundTokens: hasUnknownSize ? null : calls.tokens,
    storedTokens: isLookedUp ? null : 0,
    maySound,
    predictedBytes,
  };
}

/** Content within a model's window: what the prompt and the answer can have together. */
export type BoundedContent = HiddenContent & { window: number };

/** What the call of a hosted tool takes of an answer, where the answer does not show it. */
const CALL_TOKENS = 256;

/**
 * The most tokens that a request's prompts can have: the one bound for what is reserved and for what is believed.
 * `shown`: those of the body, by whatever measure; `answerTokens`: the longest answer, which later rounds read again.
 */
export function promptTokensMax(shown: number, answerTokens: number, hidden: BoundedContent | null): number {
  if (!hidden) return shown;
  const { rounds, roundTokens, storedTokens, window } = hidden;
  const whole = Math.max(shown, window);
  if (roundTokens === null || storedTokens === null) return rounds * whole;
  let sum = 0;
  for (let round = 0; round < rounds; round++) {
    sum += Math.min(whole, shown + storedTokens + (round === 0 ? 0 : answerTokens + round * roundTokens));
  }
  return sum;
}

/** Tokens of an answer beyond its text and its limit. `bytesPerToken`: of what is predicted. */
export function addedAnswerTokens(hidden: BoundedContent | null, bytesPerToken: number): number {
  if (!hidden) return 0;
  return Math.ceil(hidden.predictedBytes / bytesPerToken) + (hidden.rounds - 1) * CALL_TOKENS;
}
