import type { RejectedUsage } from "@/lib/billing/types";
import type { Usage } from "../../canonical/usage";
import type { Attachments } from "../../dialects/dialect";
import type { Sent } from "../operation";

/** Tokens that an upstream may add to a prompt: its own instructions, and a template around messages and tools. */
const PROMPT_ADDED = 4_096;
/** An image, a page or a search result that the upstream fetches can be long. */
const PROMPT_ADDED_ELSEWHERE = 200_000;
/** Tokens that end an answer, and open and close its parts. */
const COMPLETION_ADDED = 64;

/**
 * What is wrong with reported usage; null = it can be true. A token of text is at least one byte, so that a prompt has no
 * more of them than the body that was sent, and an answer no more than its text, apart from what it does not show.
 */
export function judgeUsage(
  { promptTokens, completionTokens }: Usage,
  sent: Sent,
  { tokens, audioTokens, elsewhere }: Attachments,
  textBytes: () => number,
): RejectedUsage | null {
  const attached = tokens + audioTokens + elsewhere * PROMPT_ADDED_ELSEWHERE;
  const promptTokensMax = sent.bodyBytes + PROMPT_ADDED + attached;
  const beyondText = COMPLETION_ADDED + sent.unseenTokensMax;
  // The text is looked at only where it decides.
  const isWithin = completionTokens <= beyondText || completionTokens <= beyondText + textBytes();
  if (promptTokens <= promptTokensMax && isWithin) return null;
  const completionTokensMax = beyondText + textBytes();
  return { promptTokens, completionTokens, promptTokensMax, completionTokensMax };
}
