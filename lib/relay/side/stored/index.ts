import type { Sql } from "@/db/client";
import { beginPassing, endPassing, findOpenCharge } from "@/lib/billing/open-charges";
import { sha256Hex } from "@/lib/crypto";
import { estimateTokens } from "@/lib/estimate-tokens";
import type { Caller } from "../../admission/authenticate";
import type { Limits } from "../../admission/limits";
import type { Opened, StoredAnswer } from "../../answers/stored-answer";
import { databaseAway, RelayError } from "../../base/relay-error";
import { forgetObject } from "../../base/upstream-objects/commands";
import { type Owner, ownerOf } from "../../base/upstream-objects/queries";
import type { Exchange } from "../../http/exchange";
import { sendCut } from "../../pipeline/finish";
import { namedParameters } from "../../providers/urls";
import { type BatchNeeds, createBatch } from "../batches/create-batch";
import { noteBatch } from "../batches/end-batch";
import { readRequests } from "../batches/read-requests";
import { type Account, findAccount } from "./account";
import { type AccountEnd, type AccountRequest, askAccount } from "./ask-account";
import { endFetched } from "./response-end";
import { formOf, pathOf, STORED_PARAMETERS, type StoredRoute } from "./routes";
import { detailsOf, listObjects, placeOf, refreshObject } from "./stored-objects";
import { uploadFile } from "./upload";

export type StoredNeeds = Omit<BatchNeeds, "options" | "budget"> & { limits: Limits };
type StoredCall = { route: StoredRoute; query: string };

/** Serves what upstreams keep for users: answers and files. It costs nothing. Throws or rejects with a RelayError. */
export async function answerStored(
  needs: StoredNeeds,
  exchange: Exchange,
  call: StoredCall,
  caller: Caller,
): Promise<void> {
  const { options } = needs.snapshot.current();
  const permit = await needs.limits.enter(caller, options, exchange);
  let isServed = false;
  try {
    isServed = await serve({ ...needs, options, budget: permit.budget }, exchange, call, caller);
  } finally {
    permit.leave(isServed);
  }
}

/** False = the caller got an error. */
async function serve(needs: BatchNeeds, exchange: Exchange, call: StoredCall, caller: Caller): Promise<boolean> {
  const { kind, action } = call.route;
  if (action === "list" && kind !== "response") {
    await answerList(needs.sql, exchange, { kind, query: call.query, owner: ownerOf(caller) });
    return true;
  }
  const end = await (action === "create" ? create(needs, exchange, kind, caller) : ask(needs, exchange, call, caller));
  send(exchange, end, call.route);
  return end !== null && end !== "cut";
}

function create(needs: BatchNeeds, exchange: Exchange, kind: StoredRoute["kind"], caller: Caller): Promise<AccountEnd> {
  if (kind === "batch") return createBatch(needs, exchange, caller);
  return uploadFile(needs, exchange, caller, async ({ file }) => {
    const summary = await readRequests(file, caller, needs.snapshot.current(), exchange.id);
    return { summary, model: summary.model };
  });
}

async function ask(
  needs: BatchNeeds,
  exchange: Exchange,
  { route, query }: StoredCall,
  caller: Caller,
): Promise<AccountEnd> {
  const { sql, snapshot } = needs;
  const userId = caller.user.id;
  const account = await findAccount(sql, snapshot.current(), ownerOf(caller), route);
  if (route.action === "delete") await refuseUnpaid(sql, userId, route);
  const method = exchange.request.method as "GET" | "POST" | "DELETE";
  const passed = namedParameters(query, STORED_PARAMETERS);
  const asked = { method, path: pathOf(route), query: passed, form: formOf(route, passed) };
  const end = await (asked.form === "events"
    ? askCounted(needs, exchange, account, { ...asked, userId, id: route.id })
    : askAccount(needs, exchange, account, asked));
  if (end && end !== "cut") await noteAnswer(sql, userId, route, placeOf(account, sha256Hex), end);
  return end;
}

/** A stream of an answer that may be cancelled: what it has passed on is noted then. */
async function askCounted(
  needs: BatchNeeds,
  exchange: Exchange,
  account: Account,
  { userId, id, ...asked }: AccountRequest & { userId: number; id: string },
): Promise<AccountEnd> {
  if (!(await beginPassing(needs.sql, userId, id))) return askAccount(needs, exchange, account, asked);
  const opened: Opened = { answer: null };
  try {
    return await askAccount(needs, exchange, account, asked, opened);
  } finally {
    const tokens = estimateTokens(0, opened.answer?.passedBytes ?? 0);
    const isResumed = new URLSearchParams(asked.query).has("starting_after");
    await endPassing(needs.sql, { userId, id }, { tokens, isResumed });
  }
}

/** Nobody gets the end of an answer that is not paid. */
async function noteAnswer(
  sql: Sql,
  userId: number,
  route: StoredRoute,
  place: { channelId: number; keyHash: string },
  { json }: StoredAnswer,
): Promise<void> {
  try {
    if (route.action === "delete") await forgetObject(sql, userId, route);
    else if (json && route.kind === "response" && route.action !== "list-input") await endFetched(sql, userId, json);
    else if (json && route.kind === "file") await refreshObject(sql, userId, "file", json);
    else if (json && route.kind === "batch") await noteBatch(sql, userId, place, json);
  } catch (error) {
    throw databaseAway({ what: "what an upstream keeps could not be noted", cause: error });
  }
}

function send(exchange: Exchange, end: AccountEnd, { action }: StoredRoute): void {
  if (end === null || exchange.isGone) return;
  if (end === "cut") {
    // Only a connection that breaks says that a file is not whole.
    if (action === "content") exchange.response.destroy();
    else sendCut(exchange);
  } else if (exchange.response.headersSent) exchange.response.end(end.ending());
  else sendWhole(exchange, end);
}

function sendWhole(exchange: Exchange, answer: StoredAnswer): void {
  if (answer.contentType === "application/json") {
    exchange.sendJson(200, answer.ending());
    return;
  }
  const body = answer.ending();
  exchange.response.writeHead(200, { "content-length": body.length, ...exchange.head(answer.contentType) }).end(body);
}

/** What is deleted before its charge is booked could not be charged. */
async function refuseUnpaid(sql: Sql, userId: number, { kind, id }: StoredRoute): Promise<void> {
  if (kind === "response" && (await findOpenCharge(sql, userId, "response", id))) {
    const message = "the response may still be running: cancel it, or fetch it when it is done, and delete it then";
    throw new RelayError("response_not_finished", message);
  }
  const batch = kind === "file" ? (await detailsOf(sql, userId, "file", id))?.ofBatch : undefined;
  if (batch !== undefined && (await findOpenCharge(sql, userId, "batch", batch))) {
    const message = "the batch with these answers is not charged yet, please try again in a few minutes";
    throw new RelayError("batch_not_finished", message);
  }
}

const LIMITS = { file: { usual: 1_000, max: 10_000 }, batch: { usual: 20, max: 100 } } as const;

/** What the user has, out of our own table: an upstream's list has what other users have at the same account. */
async function answerList(
  sql: Sql,
  exchange: Exchange,
  { kind, query, owner }: { kind: "file" | "batch"; query: string; owner: Owner },
): Promise<void> {
  const given = new URLSearchParams(query);
  const limit = readLimit(given.get("limit"), LIMITS[kind]);
  const found = await listObjects(sql, owner, kind, {
    limit,
    after: given.get("after") ?? "",
    isAscending: given.get("order") === "asc",
    purpose: kind === "file" ? (given.get("purpose") ?? "") : "",
  });
  const data = found.slice(0, limit);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  const list = { object: "list", data, ...ends, has_more: found.length > limit };
  exchange.sendJson(200, Buffer.from(JSON.stringify(list)));
}

function readLimit(text: string | null, { usual, max }: { usual: number; max: number }): number {
  if (text === null || text === "") return usual;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  const message = `limit must be a whole number from 1 to ${max}`;
  throw new RelayError("invalid_value", message, { param: "limit" });
}
