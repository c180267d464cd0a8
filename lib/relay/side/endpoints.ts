import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { OptionValues } from "@/lib/option/registry";
import { isCallOfProgram, likelyPaths, maySendKey, methodAskedFor, pathsWithin } from "../http/base-urls";
import type { Exchange } from "../http/exchange";
import { operations } from "../operations";
import { callerOfPath } from "../operations/caller-shapes";
import type { Call, Operation } from "../operations/operation";
import { type FoundPage, findTaskPage } from "../operations/tasks/wires";
import type { ClientDialect } from "../wire/dialects/dialect";
import { countingCaller } from "./counting";
import type { CountCall } from "./counting/count-request";
import { findPage, type Page } from "./pages";
import { findStored, type StoredRoute } from "./stored/routes";

/** What a request's method and path lead to. */
export type Endpoint = {
  path: string;
  /** Includes the question mark; "" = no query. */
  query: string;
  clientDialect: ClientDialect;
} & (
  | { kind: "operation"; operation: Operation }
  | { kind: "count" }
  | { kind: "stored"; route: StoredRoute }
  | {
      kind: "page";
      page: Page;
      /** The path that the caller probably meant; absent = nothing like it is served. */
      meant?: string;
    }
  | { kind: "tasks"; found: FoundPage }
);

type Served = { operation: Operation; clientDialect: ClientDialect };

const served = operations.flatMap((operation) => operation.endpoints.map((endpoint) => ({ operation, ...endpoint })));
/** Method → path → operation. */
const exact = new Map<string, Map<string, Served>>();
for (const { method, path, ...rest } of served) {
  if (typeof path !== "string") continue;
  exact.set(method, (exact.get(method) ?? new Map<string, Served>()).set(path, rest));
}
const patterns = served.filter(({ path }) => typeof path !== "string");

const RELAY_PATH =
  /^\/+((openai|anthropic|gemini)\/+)?(v1|v2|v1beta\d*|v1alpha|api\/v\d+|dashboard\/billing|suno|kling|jimeng|((?!api\/)[\w-]+\/)?mj)(\/|\?|$)/;

/** True for the paths of AI APIs, also those that are not served: their clients read JSON, never a page. */
export function isRelayPath(url: string): boolean {
  return RELAY_PATH.test(url);
}

/** True for requests to these paths, and for all others that no browser sends. The rest goes to the console. */
export function isForRelay(request: Pick<IncomingMessage, "method" | "url" | "headers">): boolean {
  const { url = "/" } = request;
  if (isRelayPath(url) || isCallOfProgram(request)) return true;
  const asked = methodAskedFor(request) ?? (maySendKey(request) ? request.method : undefined);
  return asked !== undefined && isOfApi(findEndpoint({ method: asked, url }));
}

/** False for a path that neither is served nor looks like that of an API. */
export function isOfApi(endpoint: Endpoint): boolean {
  return !isUnknown(endpoint) || isRelayPath(endpoint.path);
}

type Asked = Pick<IncomingMessage, "method" | "url"> & { headers?: IncomingHttpHeaders };

/** What a request leads to. Paths of a base URL that is not quite right lead where they were meant to (base-urls.ts). */
export function findEndpoint({ method = "", url = "/", headers = {} }: Asked): Endpoint {
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? "" : withoutKey(url.slice(mark));
  // Most requests name a path exactly, and pay for nothing of what follows.
  const direct = exact.get(method)?.get(path);
  if (direct) return { kind: "operation", path, query, ...direct };
  const find = (one: string): Endpoint => endpointAt(method, one, { url, headers, query });
  const endpoint = find(path);
  if (!isUnknown(endpoint)) return endpoint;
  for (const likely of likelyPaths(path)) {
    const found = find(likely);
    if (!isUnknown(found)) return found;
  }
  for (const meant of pathsWithin(path)) {
    const found = find(meant);
    if (isUnknown(found)) continue;
    const { clientDialect } = isRelayPath(path) ? endpoint : found;
    return { kind: "page", page: "unknown", path, query, clientDialect, meant };
  }
  return endpoint;
}

function isUnknown(endpoint: Endpoint): boolean {
  return endpoint.kind === "page" && endpoint.page === "unknown";
}

type Place = { url: string; headers: IncomingHttpHeaders; query: string };

function endpointAt(method: string, path: string, { url, headers, query }: Place): Endpoint {
  const found = exact.get(method)?.get(path) ?? findPattern(method, path);
  if (found) return { kind: "operation", path, query, clientDialect: found.clientDialect, operation: found.operation };
  const counting = countingCaller(method, path);
  if (counting) return { kind: "count", path, query, clientDialect: counting };
  const tasks = findTaskPage(method, path);
  if (tasks) return { kind: "tasks", path, query, clientDialect: tasks.wire.clientDialect, found: tasks };
  const clientDialect = callerOfPath(path, headers, url);
  const route = findStored(method, path);
  if (route) return { kind: "stored", path, query, clientDialect, route };
  return { kind: "page", path, query, clientDialect, page: findPage(method, path) };
}

function findPattern(method: string, path: string): Served | undefined {
  return patterns.find((row) => row.method === method && row.path instanceof RegExp && row.path.test(path));
}

/** Removes the client's gateway key, which must not reach an upstream. */
function withoutKey(query: string): string {
  if (!query.includes("key=")) return query;
  const parameters = new URLSearchParams(query);
  parameters.delete("key");
  return parameters.size === 0 ? "" : `?${parameters}`;
}

type OperationEndpoint = Endpoint & { kind: "operation" };

export function callOf(exchange: Exchange, endpoint: OperationEndpoint, options: OptionValues): Call {
  return { operation: endpoint.operation, ...contextOf(exchange, endpoint, options) };
}

export function contextOf(
  exchange: Exchange,
  { clientDialect, path, query }: Endpoint,
  options: OptionValues,
): CountCall {
  const { id: requestId, request } = exchange;
  return {
    clientDialect,
    requestId,
    path,
    query,
    headers: request.headers,
    allowedOptions: options.AllowedRequestOptions,
  };
}
