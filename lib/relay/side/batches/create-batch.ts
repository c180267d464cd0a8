import { openCharge } from "@/lib/billing/open-charges";
import { priceBound, resolvePrice } from "@/lib/billing/price";
import { NO_QUOTA } from "@/lib/billing/quota";
import { NO_COST, NO_USAGE, type PriceRow, type Reservation, type Settlement } from "@/lib/billing/types";
import { sha256Hex } from "@/lib/crypto";
import { logger } from "@/lib/logger";
import { LOG_TYPE } from "@/lib/row-status";
import { type Caller, checkOperation } from "../../admission/authenticate";
import { costRowOf } from "../../admission/cost";
import type { RequestBudget } from "../../admission/limits/request-budget";
import { unpriced } from "../../admission/quote";
import { reserve } from "../../admission/reserve";
import type { StoredAnswer } from "../../answers/stored-answer";
import { databaseAway, RelayError } from "../../base/relay-error";
import { ownerOf } from "../../base/upstream-objects/queries";
import type { Exchange } from "../../http/exchange";
import { receiveJson } from "../../pipeline/receive-body";
import { findRoute } from "../../routing/route";
import { type Json, readText } from "../../wire/canonical/json";
import { isObjectId } from "../../wire/canonical/upstream-object";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { type Account, findAccount } from "../stored/account";
import { askAccount } from "../stored/ask-account";
import { detailsOf, noteObject, placeOf } from "../stored/stored-objects";
import type { UploadNeeds } from "../stored/upload";
import { BATCH_ENDPOINTS, type BatchSummary, operationOf } from "./read-requests";

export type BatchNeeds = UploadNeeds & { nodeId: string; budget: RequestBudget | undefined };

/** Upstreams take a day; what has not ended after three is given up. */
const WORK_SECONDS = 3 * 86_400;
/** What OpenAI and Azure take of their usual price. */
const UPSTREAM_RATIO = 0.5;
/** What upstreams may add to each prompt. */
const PROMPT_ADDED = 4_096;
const FIELDS = new Set(["input_file_id", "endpoint", "completion_window", "metadata", "output_expires_after"]);

/** Reserves for all requests of a file, and gives it to its upstream. Null = the caller has an error already. */
export async function createBatch(needs: BatchNeeds, exchange: Exchange, caller: Caller): Promise<StoredAnswer | null> {
  const { sql, leaseBook, snapshot: store, bodyBudget } = needs;
  const share = bodyBudget.open(caller.user.id);
  try {
    const body = await receiveJson(needs, exchange, caller, share, "chat");
    const json = readBatch(body);
    const fileId = readText(json.input_file_id);
    const snapshot = store.current();
    const account = await findAccount(sql, snapshot, ownerOf(caller), { kind: "file", id: fileId });
    const summary = (await detailsOf(sql, caller.user.id, "file", fileId))?.batch as BatchSummary | undefined;
    if (!summary) throw invalid("the file was not uploaded with the purpose batch", "input_file_id");
    if (summary.endpoint !== json.endpoint)
      throw invalid(`the file's requests are for ${summary.endpoint}`, "endpoint");
    exchange.model = summary.model;
    const terms = termsOf(needs, caller, account, summary);
    const amount = terms.reserved;
    const amounts = { amount, least: amount, fair: amount, most: amount, price: terms.price };
    await needs.budget?.take(amounts);
    const reservation = await reserve(sql, leaseBook, caller, amounts);
    try {
      // Written anew: of a key that is there twice the upstream might read the other value.
      const sent = Buffer.from(JSON.stringify(json));
      const asked = { method: "POST", path: "/v1/batches", query: "", body: sent, form: "json" } as const;
      const end = await askAccount(needs, exchange, account, asked);
      if (!end || end === "cut") return null;
      await leaveBatchOpen(needs, exchange, { caller, account, summary, terms, reservation, end });
      return end;
    } finally {
      leaseBook.release(reservation);
    }
  } finally {
    share.release();
  }
}

function readBatch(body: Buffer): Json {
  const json = parseJsonObject(body.toString("utf8"));
  if (!json) throw invalid("the request body must be a JSON object", null);
  const strange = Object.keys(json).find((name) => !FIELDS.has(name));
  if (strange) throw invalid(`the field ${strange.slice(0, 50)} is not known`, strange.slice(0, 50));
  if (!BATCH_ENDPOINTS.includes(readText(json.endpoint))) {
    throw invalid(`endpoint must be one of ${BATCH_ENDPOINTS.join(", ")}`, "endpoint");
  }
  if (readText(json.input_file_id) === "") throw invalid("input_file_id must name a file", "input_file_id");
  return json;
}

type Terms = { price: PriceRow; reserved: number; group: string; ratio: number };

/** At the price in force now, which may be another one than when the file was uploaded. */
function termsOf({ snapshot: store }: BatchNeeds, caller: Caller, account: Account, summary: BatchSummary): Terms {
  const snapshot = store.current();
  const { model, promptTokens, completionTokens } = summary;
  const operation = operationOf(summary.endpoint)?.operation.id ?? "chat";
  checkOperation(caller, operation);
  const { group, groupRatio } = findRoute(caller, model, snapshot, operation);
  if (!account.channel.groups.includes(group))
    throw invalid("the file's upstream is of another group", "input_file_id");
  const ratio = snapshot.options.BatchPriceRatio;
  const price = resolvePrice(model, groupRatio * ratio, snapshot.options, caller.user.acceptsUnpriced);
  if (!price || price.modelPrice !== null || price.metersOnly) {
    throw unpriced(model, "price of tokens");
  }
  const prompt = { promptTokens, audioPromptTokens: 0, writesAudio: false };
  return { price, reserved: priceBound(prompt, completionTokens, price), group, ratio };
}

type Made = {
  caller: Caller;
  account: Account;
  summary: BatchSummary;
  terms: Terms;
  reservation: Reservation;
  end: StoredAnswer;
};

async function leaveBatchOpen(needs: BatchNeeds, exchange: Exchange, made: Made): Promise<void> {
  const { caller, account, summary, terms, end } = made;
  const id = readText(end.json?.id);
  if (!end.json || !isObjectId(id)) throw new RelayError("bad_response", "the upstream gave the batch no id");
  const place = placeOf(account, sha256Hex);
  // From here on it may have its charge, which another row of the same id would keep out.
  exchange.refusalCaller = null;
  const cost = costRowOf(account.channel, summary.model, summary.model, needs.options);
  try {
    await openCharge(needs, {
      kind: "batch",
      objectId: id,
      keyHash: place.keyHash,
      settlement: settlementOf(exchange, made),
      terms: {
        price: terms.price,
        cost: cost && { ...cost, price: { ...cost.price, groupRatio: cost.price.groupRatio * UPSTREAM_RATIO } },
        promptTokens: summary.promptTokens,
        promptTokensMax: summary.bytes + summary.promptTokens + summary.lines * PROMPT_ADDED,
        completionTokensMax: summary.completionTokens,
      },
      objects: [{ kind: "batch", id, ...place, lifetimeSeconds: 30 * 86_400 }],
      lifetimeSeconds: WORK_SECONDS,
    });
    await noteObject(needs.sql, { userId: caller.user.id, tokenId: caller.token.id }, place, {
      kind: "batch",
      id,
      details: { shown: end.json },
    });
  } catch (error) {
    logger.error({ err: error, request: exchange.id, batch: id }, "a batch could not be noted");
    throw databaseAway();
  }
}

function settlementOf(exchange: Exchange, made: Made): Settlement & { reservation: Reservation } {
  const { caller, account, summary, terms, reservation } = made;
  const { price, group, ratio } = terms;
  return {
    requestId: exchange.id,
    createdAt: Math.floor(Date.now() / 1_000),
    type: LOG_TYPE.consume,
    userId: caller.user.id,
    username: caller.user.username,
    tokenId: caller.token.id,
    tokenName: caller.token.name,
    channelId: account.channel.id,
    modelName: summary.model,
    group,
    usage: NO_USAGE,
    quota: NO_QUOTA,
    cost: NO_COST,
    useTimeMs: 0,
    firstTokenMs: null,
    isStream: false,
    reservation,
    content: "",
    other: {
      model_ratio: price.modelRatio,
      group_ratio: price.groupRatio,
      completion_ratio: price.completionRatio,
      cache_ratio: price.cacheRatio,
      model_price: -1,
      quota_per_unit: price.quotaPerUnit,
      frt: -1000,
      batch_ratio: ratio,
      batch_requests: summary.lines,
      admin_info: { use_channel: [String(account.channel.id)] },
    },
    clientIp: exchange.clientIp,
    hidden: false,
  };
}

function invalid(message: string, param: string | null): RelayError {
  return new RelayError("invalid_batch_request", message, { param });
}
