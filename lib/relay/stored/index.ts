import type { Sql } from "@/db/client";
import { findOpenCharge } from "@/lib/billing/open-charges";
import { logger } from "@/lib/logger";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { StoredAnswer } from "../answers/stored-answer";
import type { Exchange } from "../exchange";
import type { Limits } from "../limits";
import { databaseAway, RelayError } from "../relay-error";
import type { Caller } from "../stages/authenticate";
import { sendCut } from "../stages/finish";
import type { Pools } from "../transport/pools";
import { forgetObject } from "../upstream-objects/commands";
import { findAccount } from "./account";
import { type AccountEnd, askAccount } from "./ask-account";
import { endFetched } from "./response-end";
import { formOf, type StoredRoute } from "./routes";

export type StoredNeeds = { sql: Sql; snapshot: SnapshotStore; pools: Pools; limits: Limits };

/** Reads, cancels or deletes what an upstream keeps for a user. It costs nothing. Throws or rejects with a RelayError. */
export async function answerStored(
  needs: StoredNeeds,
  exchange: Exchange,
  call: { route: StoredRoute; query: string },
  caller: Caller,
): Promise<void> {
  const { limits, snapshot: store, sql, pools } = needs;
  const { options } = store.current();
  const permit = await limits.enter(caller, options, exchange);
  let isServed = false;
  try {
    const { route, query } = call;
    const account = await findAccount(sql, store.current(), caller.user.id, route);
    const path = `/v1/responses/${encodeURIComponent(route.id)}${route.suffix}`;
    const method = exchange.request.method as "GET" | "POST" | "DELETE";
    if (route.action === "delete") await refuseRunning(sql, caller.user.id, route.id);
    const end = await askAccount({ pools, options }, exchange, account, {
      method,
      path,
      query,
      form: formOf(route, query),
    });
    if (end && end !== "cut" && end.json) await endFetched(sql, caller.user.id, end.json).catch(notEnded);
    if (end && end !== "cut" && route.action === "delete") await forgetObject(sql, caller.user.id, route);
    send(exchange, end);
    isServed = end !== null && end !== "cut";
  } finally {
    permit.leave(isServed);
  }
}

function send(exchange: Exchange, end: AccountEnd): void {
  if (end === null || exchange.isGone) return;
  if (end === "cut") sendCut(exchange);
  else if (exchange.response.headersSent) exchange.response.end(end.ending());
  else sendWhole(exchange, end);
}

function sendWhole(exchange: Exchange, answer: StoredAnswer): void {
  if (answer.contentType === "application/json") {
    exchange.sendJson(200, answer.ending());
    return;
  }
  const body = answer.ending();
  const headers = { "content-type": answer.contentType, "content-length": body.length };
  exchange.response.writeHead(200, { ...headers, "x-oneapi-request-id": exchange.id }).end(body);
}

/** What is deleted while it runs could not be charged. */
async function refuseRunning(sql: Sql, userId: number, id: string): Promise<void> {
  const open = await findOpenCharge(sql, userId, "response", id);
  if (!open) return;
  const message = "the response may still be running: cancel it, or fetch it when it is done, and delete it then";
  throw new RelayError(409, message, { type: "invalid_request_error", code: "response_not_finished" });
}

/** Nobody gets the end of an answer that is not paid. */
function notEnded(error: unknown): never {
  logger.error({ err: error }, "an answer in the background could not be charged");
  throw databaseAway();
}
