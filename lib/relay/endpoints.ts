import type { IncomingMessage } from "node:http";
import type { Sql } from "@/db/client";
import { readBalances } from "@/lib/snapshot/queries";
import type { Snapshot, SnapshotStore } from "@/lib/snapshot/store";
import type { Exchange } from "./exchange";
import { RelayError } from "./relay-error";
import type { Caller } from "./stages/authenticate";
import { effectiveGroup } from "./stages/route";

/** What a path asks for. */
export type Endpoint = {
  kind: "chat" | "models" | "model" | "subscription" | "usage" | "not-implemented" | "unknown";
  path: string;
  /** With its question mark, or "". */
  query: string;
};

const NOT_IMPLEMENTED = /^\/v1\/(images\/(edits|variations)|files|fine-tunes)(\/|$)/;
const BILLING = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;

/** The only paths that the relay answers itself; the rest is the console's. */
export function isRelayPath(url: string): boolean {
  return /^\/(v1|dashboard\/billing)(\/|\?|$)/.test(url);
}

export function findEndpoint(request: IncomingMessage): Endpoint {
  const url = request.url ?? "/";
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? "" : withoutKey(url.slice(mark));
  return { kind: endpointKind(request.method ?? "", path), path, query };
}

/** A caller's key in the query is for us, not for an upstream. */
function withoutKey(query: string): string {
  if (!query.includes("key=")) return query;
  const parameters = new URLSearchParams(query);
  parameters.delete("key");
  return parameters.size === 0 ? "" : `?${parameters}`;
}

function endpointKind(method: string, path: string): Endpoint["kind"] {
  if (method === "POST" && path === "/v1/chat/completions") return "chat";
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
  /** Throws 429 when the caller's address has asked for the billing pages too often. */
  limitBilling: (exchange: Exchange) => void;
};

/** Answers everything that needs no upstream. Throws what the caller may see. */
export async function answerEndpoint(exchange: Exchange, endpoint: Endpoint, needs: Dependencies): Promise<void> {
  if (endpoint.kind === "unknown") throw unknownUrl(exchange.request.method ?? "", endpoint.path);
  if (endpoint.kind === "subscription" || endpoint.kind === "usage") needs.limitBilling(exchange);
  const caller = await needs.authenticate(exchange);
  const snapshot = needs.store.current();
  switch (endpoint.kind) {
    case "models":
      return send(exchange, { success: true, object: "list", data: modelsOf(caller, snapshot).map(modelRow) });
    case "model":
      return send(exchange, findModel(endpoint.path, caller, snapshot));
    case "subscription":
    case "usage":
      return send(exchange, await billingView(endpoint.kind, caller, snapshot, needs.sql));
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

/** With model limits exactly the listed names, else what the group's enabled channels serve. */
function modelsOf(caller: Caller, snapshot: Snapshot): string[] {
  const { token } = caller;
  if (token.modelLimitsEnabled) return [...token.models].sort();
  const models = snapshot.abilities.get(effectiveGroup(caller, snapshot));
  return models ? [...models.keys()].sort() : [];
}

function modelRow(id: string): object {
  return { id, object: "model", created: 1_626_777_600, owned_by: "custom", permission: [], root: id, parent: null };
}

function findModel(path: string, caller: Caller, snapshot: Snapshot): object {
  let name = path.slice("/v1/models/".length);
  try {
    name = decodeURIComponent(name);
  } catch {
    // Taken as it was written.
  }
  if (modelsOf(caller, snapshot).includes(name)) return modelRow(name);
  const message = `The model '${name}' does not exist`;
  throw new RelayError(404, message, { type: "invalid_request_error", param: "model", code: "model_not_found" });
}

const UNLIMITED = 100_000_000;

/** OpenAI's billing pages, as old clients ask for them (contract §4.1). */
async function billingView(kind: "subscription" | "usage", caller: Caller, { options }: Snapshot, sql: Sql) {
  const balances = await readBalances(sql, caller.token.id);
  if (!balances) throw new RelayError(401, "invalid token", { code: "invalid_api_key" });
  const byToken = options.DisplayTokenStatEnabled;
  const unit = options.DisplayInCurrencyEnabled ? options.QuotaPerUnit : 1;
  const used = byToken ? balances.tokenUsedQuota : balances.userUsedQuota;
  if (kind === "usage") return { object: "list", total_usage: (used / unit) * 100 };
  const left = byToken ? balances.remainQuota : balances.userQuota;
  const limit = byToken && balances.unlimitedQuota ? UNLIMITED : (left + used) / unit;
  return {
    object: "billing_subscription",
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Math.max(0, balances.expiredTime),
  };
}
