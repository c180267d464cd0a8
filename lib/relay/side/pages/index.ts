import type { Sql } from "@/db/client";
import type { SnapshotStore } from "@/lib/snapshot/store";
import type { Caller } from "../../admission/authenticate";
import type { Purpose } from "../../admission/authenticate-request";
import type { KeyLimits } from "../../admission/limits";
import { RelayError } from "../../base/relay-error";
import type { Exchange } from "../../http/exchange";
import { billingView } from "./billing";
import { callableModel, callableModels, purposeOf } from "./callable-models";
import { keyView } from "./key-view";
import { detailsFor } from "./model-details";
import { modelShapeOf } from "./model-lists";

/** Endpoints that the relay answers without an upstream. */
export type Page = "models" | "model" | "key" | "subscription" | "usage" | "not-implemented" | "unknown";

const NOT_IMPLEMENTED = /^\/v1\/(fine-tunes|responses\/(compact|input_tokens))(\/|$)/;
/** What clients know and is not built, and what does the same here. */
const INSTEAD: readonly (readonly [path: RegExp, advice: string])[] = [
  [
    /^\/v1\/messages\/batches(\/|$)/,
    "Anthropic's batches are not served; /v1/batches takes files of OpenAI's requests",
  ],
  [
    /^\/v1(?:beta\d*|alpha)?\/interactions(\/|$)/,
    "Google's interactions are not served; generateContent takes the whole conversation",
  ],
  [/^\/v1\/responses\/compact$/, "compaction is not served; send the whole conversation, or a part of it"],
];
/** The list of models, and one of them. */
const MODELS = /^\/(?:v1|v1beta|v1beta\/openai)\/models(?:\/(.*))?$/;
const BILLING = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/;

export function findPage(method: string, path: string): Page {
  const models = MODELS.exec(path);
  // An answer to HEAD has the same head, and node leaves its body out.
  const reads = method === "GET" || method === "HEAD";
  if (models && reads) return models[1] ? "model" : "models";
  if (models?.[1] && method === "DELETE") return "not-implemented";
  if (path === "/v1/key" && reads) return "key";
  const billing = reads ? BILLING.exec(path)?.[1] : undefined;
  if (billing) return billing as "subscription" | "usage";
  return NOT_IMPLEMENTED.test(path) ? "not-implemented" : "unknown";
}

type Dependencies = {
  authenticate: (exchange: Exchange, purpose: Purpose) => Caller | Promise<Caller>;
  store: SnapshotStore;
  sql: Sql;
  /** Throws 429 when the client's address has requested the billing pages too often. */
  limitBilling: (exchange: Exchange) => void;
  keyLimits: KeyLimits;
};

/** A page as it was asked for. `query`: without the client's key. `meant`: see Endpoint. */
export type PageCall = { page: Page; path: string; query: string; meant?: string };

/** Throws a RelayError for the client. */
export async function answerPage(
  exchange: Exchange,
  { page, path, query, meant }: PageCall,
  needs: Dependencies,
): Promise<void> {
  if (page === "unknown") throw unknownUrl(exchange, path, meant);
  if (page === "subscription" || page === "usage" || page === "key") needs.limitBilling(exchange);
  const caller = await needs.authenticate(exchange, page === "key" ? "standing" : null);
  const snapshot = needs.store.current();
  const shape = modelShapeOf(exchange.clientDialect.dialect);
  const facts = () => ({
    options: snapshot.options,
    purposeOf: (model: string) => purposeOf(model, caller, snapshot),
    detailsOf: detailsFor(caller, snapshot),
  });
  switch (page) {
    case "models":
      return send(exchange, shape.list(callableModels(caller, snapshot), query, facts()));
    case "model":
      return send(exchange, shape.model(callableModel(nameIn(path), caller, snapshot), facts()));
    case "key":
      return send(exchange, await keyView(caller, snapshot, needs));
    case "subscription":
    case "usage":
      return send(exchange, await billingView(page, caller, snapshot, needs.sql));
    default:
      throw new RelayError("api_not_implemented", `this API is not implemented${adviceFor(path)}`, {
        param: "",
      });
  }
}

function nameIn(path: string): string {
  return MODELS.exec(path)?.[1] ?? "";
}

/** A page of the console that a program sends something to, or a path that no API has. */
function unknownUrl({ request, response }: Exchange, path: string, meant: string | undefined): RelayError {
  const { method = "" } = request;
  const details = { param: "" };
  const advice = adviceFor(path);
  if (meant !== undefined && advice === "") {
    const base =
      "the base URL of OpenAI clients ends in /v1 right behind the host, that of Anthropic and Google clients at the host";
    return new RelayError(
      "unknown_url",
      `Invalid URL (${method} ${path}); did you mean ${method} ${meant}? ${base}`,
      details,
    );
  }
  if (isApiPath(path) || method === "GET" || method === "HEAD") {
    return new RelayError("unknown_url", `Invalid URL (${method} ${path})${advice}`, details);
  }
  response.setHeader("allow", "GET, HEAD");
  return new RelayError(
    "method_not_allowed",
    `${path} takes no ${method}; API calls go to paths such as /v1/chat/completions`,
    details,
  );
}

function isApiPath(path: string): boolean {
  return /^\/(v\d|mj|suno|kling|jimeng|[\w-]+\/mj)/.test(path);
}

function adviceFor(path: string): string {
  const [, advice] = INSTEAD.find(([pattern]) => pattern.test(path)) ?? [];
  return advice ? `: ${advice}` : "";
}

function send(exchange: Exchange, value: object): void {
  exchange.sendJson(200, Buffer.from(JSON.stringify(value)));
}
