import type { Quote } from "../quote";

/** Most answers are shorter. What an answer has beyond it is counted when it ends. */
const ANSWER_TOKENS = 1_024;
/** The prompt's bound counts two bytes a token, and no text has so many. */
const SURE_SHARE = 2;

/** What a request is taken to use before it has run, and what it uses at least. */
export type ExpectedTokens = { expected: number; least: number };

export function expectedTokens({
  need,
  completionTokensMax,
}: Pick<Quote, "need" | "completionTokensMax">): ExpectedTokens {
  const { promptTokens } = need.prompt;
  const answer = Math.min(completionTokensMax, ANSWER_TOKENS * need.choices);
  return { expected: promptTokens + answer, least: Math.ceil(promptTokens / SURE_SHARE) };
}
