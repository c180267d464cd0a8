import { boundUsage } from "@/lib/billing/bound-usage";
import type { BilledUsage } from "@/lib/billing/types";
import { addedAnswerTokens, promptTokensMax } from "../../wire/dialects/common/hidden-content";
import type { RequestFacts } from "../../wire/dialects/dialect";
import type { Sent } from "../operation";

/** Tokens that an upstream may add to a prompt: its own instructions, and a template around messages and tools. */
export const PROMPT_ADDED = 4_096;
/** Tokens that end an answer, and open and close its parts. */
const COMPLETION_ADDED = 64;

/**
 * The most prompt tokens that a request can have caused. A token of text is at least one byte, so that its text has no more of
 * them than the body that was sent without its pictures; the rest is bounded as it was reserved.
 */
export function promptMax(
  { attachments }: Pick<RequestFacts, "attachments">,
  sent: Omit<Sent, "unseenTokensMax">,
): number {
  const { tokens, audioTokens } = attachments;
  const text = Math.max(0, sent.bodyBytes - sent.pictureBytes) + PROMPT_ADDED;
  return promptTokensMax(text + tokens + audioTokens, sent.completionTokensMax, sent.hidden);
}

/** Reported usage up to what the request can have caused. An answer has no more tokens than bytes, apart from what it does not show. */
export function judgeUsage(
  reported: BilledUsage,
  sent: Sent,
  facts: Pick<RequestFacts, "attachments" | "choices">,
  textBytes: () => number,
): BilledUsage {
  const promptTokens = promptMax(facts, sent);
  const beyondText = COMPLETION_ADDED * facts.choices + sent.unseenTokensMax + addedAnswerTokens(sent.hidden, 1);
  // The text is looked at only where it decides.
  if (reported.promptTokens <= promptTokens && reported.completionTokens <= beyondText) return reported;
  return boundUsage(reported, { promptTokens, completionTokens: beyondText + textBytes() });
}
