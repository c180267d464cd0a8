import type { Sql } from "@/db/client";
import { endCharge, findOpenCharge, type OpenCharge, type OpenEnd, type OpenTerms } from "@/lib/billing/open-charges";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { isOver } from "../answers/background";
import { type Json, readText } from "../canonical/json";
import { dialects } from "../dialects";
import type { Dialect } from "../dialects/dialect";
import { estimateTokens } from "../tokens/estimate-tokens";

/** Charges for an answer in the background that is over. False = it still runs, or was charged before. */
export async function endResponse(
  sql: Sql,
  charge: OpenCharge & { isLate?: boolean },
  response: Json,
): Promise<boolean> {
  // A process that died has left its stream in the count: when the time is over, what is known is charged.
  if (!isOver(response) || (!charge.isLate && isUncounted(response, charge.terms))) return false;
  return endCharge(sql, charge, readEnd(response, charge.terms));
}

/** Of what was cancelled upstreams may report nothing: what its streams have passed on is known when they have ended. */
function isUncounted({ status, usage }: Json, { streams = 0 }: OpenTerms): boolean {
  return streams > 0 && !isDelivered(readText(status)) && !responses().upstream.readUsage(usage);
}

/** The same for the caller that fetches it. */
export async function endFetched(sql: Sql, userId: number, response: Json): Promise<void> {
  if (!isOver(response)) return;
  const charge = await findOpenCharge(sql, userId, "response", readText(response.id));
  if (charge) await endResponse(sql, charge, response);
}

function readEnd(response: Json, terms: OpenTerms): OpenEnd {
  const status = readText(response.status);
  const reported = responses().upstream.readUsage(response.usage);
  const note = status === "completed" ? "" : `the answer in the background is ${status}`;
  const other = { background: status };
  if (!reported) return { usage: estimated(response, terms), note, other };
  const { reasoningTokens: _, webSearches: __, ...counts } = reported;
  const { usage, rejected } = bounded({ ...counts, estimated: false }, terms);
  return { usage, note, other: rejected ? { ...other, usage_rejected: rejected } : other };
}

function responses(): Dialect {
  const dialect = dialects.get("openai-responses");
  if (!dialect) throw new Error("the dialect openai-responses is not registered");
  return dialect;
}

function isDelivered(status: string): boolean {
  return status === "completed" || status === "incomplete";
}

/** What failed or was cancelled, and of which nobody has seen anything, is free. */
function estimated(response: Json, terms: OpenTerms): BilledUsage {
  const { promptTokens, completionTokensMax, passedTokens = 0 } = terms;
  const { texts, extra } = responses().upstream.answerTexts(response);
  const written = Math.max(passedTokens, estimateTokens(0, Buffer.byteLength(texts.join(""))) + extra);
  if (written === 0 && !isDelivered(readText(response.status))) return NO_USAGE;
  return { ...NO_USAGE, promptTokens, completionTokens: Math.min(written, completionTokensMax), estimated: true };
}

/** No more than can be true: what was sent, and what the answer may have. */
function bounded(usage: BilledUsage, { promptTokensMax, completionTokensMax }: OpenTerms) {
  const { promptTokens, completionTokens } = usage;
  if (promptTokens <= promptTokensMax && completionTokens <= completionTokensMax) return { usage, rejected: null };
  const prompt = Math.min(promptTokens, promptTokensMax);
  const completion = Math.min(completionTokens, completionTokensMax);
  const rejected = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    prompt_tokens_max: promptTokensMax,
    completion_tokens_max: completionTokensMax,
  };
  const plain = { ...NO_USAGE, promptTokens: prompt, completionTokens: completion, estimated: true };
  return { usage: plain, rejected };
}
