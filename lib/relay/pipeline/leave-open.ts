import type { Sql } from "@/db/client";
import type { LeaseBook } from "@/lib/billing/lease";
import { openCharge } from "@/lib/billing/open-charges";
import { NO_USAGE, type UpstreamObject } from "@/lib/billing/types";
import { estimateTokens } from "@/lib/estimate-tokens";
import { logger } from "@/lib/logger";
import { costRowOf } from "../admission/cost";
import type { Permit } from "../admission/limits";
import { isOver } from "../answers/background";
import { databaseAway } from "../base/relay-error";
import type { Delivery } from "../http/delivery";
import { PROMPT_ADDED } from "../operations/chat/judge-usage";
import { type Json, readText } from "../wire/canonical/json";
import { addedAnswerTokens, promptTokensMax } from "../wire/dialects/common/hidden-content";
import { sendEnd } from "./finish";
import type { Claim } from "./idempotency";
import { buildSettlement, type ReservedRequest } from "./settle";

type Needs = { sql: Sql; nodeId: string; leaseBook: LeaseBook };

/** Upstreams keep answers for 30 days. */
const KEPT_SECONDS = 30 * 86_400;
/** No upstream works longer on an answer. */
const WORK_SECONDS = 2 * 86_400;

/**
 * Sends the end of what is delivered, and leaves the charge open of an answer that its upstream goes on with by itself. False = it is none, or it is over. Rejects
 * with a RelayError when that cannot be noted.
 */
export async function leaveOpen(
  needs: Needs,
  request: ReservedRequest,
  delivery: Delivery,
  { permit, claim }: { permit: Permit; claim: Claim | null },
): Promise<boolean> {
  if (delivery.outcome === "failed") return false;
  const response = responseOf(delivery);
  const { upstream } = delivery;
  if (!response || !upstream || isOver(response)) return false;
  const objectId = readText(response.id);
  const { reservation, quote } = request;
  const built = buildSettlement(request, { delivery, usage: NO_USAGE });
  const settlement = { ...built, reservation };
  const keyHash = upstream.secrets.keyHash();
  const channelId = settlement.channelId;
  const object: UpstreamObject = { kind: "response", id: objectId, channelId, keyHash, lifetimeSeconds: KEPT_SECONDS };
  const { promptTokens, audioPromptTokens } = quote.need.prompt;
  const shown = upstream.body.length + PROMPT_ADDED + promptTokens + audioPromptTokens;
  const terms = {
    price: quote.price,
    cost: costRowOf(delivery.used.at(-1), request.intake.model, upstream.model, request.options),
    promptTokens,
    promptTokensMax: promptTokensMax(shown, quote.completionTokensMax, quote.hidden),
    completionTokensMax: quote.completionTokensMax + addedAnswerTokens(quote.hidden, 1),
    passedTokens: request.intake.isStream ? passedTokens(delivery) : 0,
  };
  await openCharge(needs, {
    kind: "response",
    objectId,
    keyHash,
    settlement,
    terms,
    objects: [object],
    lifetimeSeconds: WORK_SECONDS,
  }).catch((error: unknown) => {
    logger.error({ err: error, request: request.exchange.id }, "an answer in the background could not be noted");
    throw databaseAway();
  });
  permit.usedTokens(0);
  permit.budget?.giveUp();
  claim?.charge();
  if (claim) await claim.keep(delivery);
  sendEnd(request.exchange, delivery);
  return true;
}

function passedTokens({ report }: Exclude<Delivery, { outcome: "failed" }>): number {
  return estimateTokens(0, report?.textBytes() ?? 0);
}

/** As far as the client knows it, or as the upstream wrote it after the client had left. */
function responseOf(delivery: Exclude<Delivery, { outcome: "failed" }>): Json | undefined {
  if (delivery.outcome !== "gone") return delivery.report.inBackground;
  return (delivery.drained?.report ?? delivery.report)?.inBackground;
}
