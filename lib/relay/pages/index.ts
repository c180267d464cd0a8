import type { Sql } from "@/db/client";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Exchange } from "../exchange";
import { RelayError } from "../relay-error";
import type { Caller } from "../stages/authenticate";
import { billingView } from "./billing";
import { findModel, listModels } from "./models";

/** Endpoints that the relay answers without an upstream. */
export type Page = "models" | "model" | "subscription" | "usage" | "not-implemented" | "unknown";

const NOT_IMPLEMENTED = /^\/v1\/(images\/(edits|variations)|files|fine-tunes)(\/|$)/;
const BILLING = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;

export function findPage(method: string, path: string): Page {
  if (method === "GET" && (path === "/v1/models" || path === "/v1/models/")) return "models";
  if (method === "GET" && path.startsWith("/v1/models/")) return "model";
  if (method === "DELETE" && path.startsWith("/v1/models/")) return "not-implemented";
  const billing = method === "GET" ? BILLING.exec(path)?.[1] : undefined;
  if (billing) return billing as "subscription" | "usage";
  return NOT_IMPLEMENTED.test(path) ? "not-implemented" : "unknown";
}

type Dependencies = {
  authenticate: (exchange: Exchange) => Caller | Promise<Caller>;
  store: SnapshotStore;
  sql: Sql;
  /** Throws 429 when the client's address has requested the billing pages too often. */
  limitBilling: (exchange: Exchange) => void;
};

/** Throws a RelayError for the client. */
export async function answerPage(exchange: Exchange, page: Page, path: string, needs: Dependencies): Promise<void> {
  if (page === "unknown") throw unknownUrl(exchange.request.method ?? "", path);
  if (page === "subscription" || page === "usage") needs.limitBilling(exchange);
  const caller = await needs.authenticate(exchange);
  const snapshot = needs.store.current();
  switch (page) {
    case "models":
      return send(exchange, listModels(caller, snapshot));
    case "model":
      return send(exchange, findModel(path, caller, snapshot));
    case "subscription":
    case "usage":
      return send(exchange, await billingView(page, caller, snapshot, needs.sql));
    default:
      throw new RelayError(501, "this API is not implemented", { code: "api_not_implemented", param: "" });
  }
}

function unknownUrl(method: string, path: string): RelayError {
  const message = `Invalid URL (${method} ${path})`;
  return new RelayError(404, message, { type: "invalid_request_error", param: "", code: "" });
}

function send(exchange: Exchange, value: object): void {
  exchange.sendJson(200, Buffer.from(JSON.stringify(value)));
}
