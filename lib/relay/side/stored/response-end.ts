import type { Sql } from "@/db/client";
import { boundUsage } from "@/lib/billing/bound-usage";
import { findOpenCharge, type OpenCharge, type OpenEnd, type OpenTerms } from "@/lib/billing/open-charges";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { estimateTokens } from "@/lib/estimate-tokens";
import { isOver } from "../../answers/background";
import { endAndTell } from "../../routing/channel-state-commands";
import { type Json, readText } from "../../wire/canonical/json";
import { mayHoldMore, reportsNothing } from "../../wire/canonical/nothing-used";
import { dialects } from "../../wire/dialects";
import type { Dialect } from "../../wire/dialects/dialect";

/** Charges for an answer in the background that is over. False = it still runs, or was charged before. */
export async function endResponse(
  sql: Sql,
  charge: OpenCharge & { isLate?: boolean },
  response: Json,
): Promise<boolean> {
  // A process that died has left its stream in the count: when the time is over, what is known is charged.
  if (!isOver(response) || (!charge.isLate && isUncounted(response, charge.terms))) return false;
  return endAndTell(sql, charge, readEnd(response, charge.terms));
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
  const { promptTokensMax: promptTokens, completionTokensMax: completionTokens } = terms;
  return { usage: boundUsage({ ...counts, estimated: false }, { promptTokens, completionTokens }), note, other };
}

function responses(): Dialect {
  const dialect = dialects.get("openai-responses");
  if (!dialect) throw new Error("the dialect openai-responses is not registered");
  return dialect;
}

function isDelivered(status: string): boolean {
  return status === "completed" || status === "incomplete";
}

/** It says that it has used nothing, and nothing is in it. */
function isSilent({ usage, output }: Json): boolean {
  return reportsNothing(usage) && !mayHoldMore(JSON.stringify(output ?? null));
}

/** What failed or was cancelled, and of which nobody has seen anything, is free. */
function estimated(response: Json, terms: OpenTerms): BilledUsage {
  const { promptTokens, completionTokensMax, passedTokens = 0 } = terms;
  const { texts, extra } = responses().upstream.answerTexts(response);
  const written = Math.max(passedTokens, estimateTokens(0, Buffer.byteLength(texts.join(""))) + extra);
  const isFree = !isDelivered(readText(response.status)) || isSilent(response);
  if (written === 0 && isFree) return NO_USAGE;
  return { ...NO_USAGE, promptTokens, completionTokens: Math.min(written, completionTokensMax), estimated: true };
}
