import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { OptionValues } from "@/lib/option/registry";
import { callerOfPath } from "./caller-shapes";
import { countingCaller } from "./counting";
import type { CountCall } from "./counting/count-request";
import type { CallerDialect } from "./dialects/dialect";
import type { Exchange } from "./exchange";
import { operations } from "./operations";
import type { Call, Operation } from "./operations/operation";
import { findPage, type Page } from "./pages";
import { findStored, type StoredRoute } from "./stored/routes";
import { type FoundPage, findTaskPage } from "./tasks/wires";

/** What a request's method and path lead to. */
export type Endpoint = {
  path: string;
  /** Includes the question mark; "" = no query. */
  query: string;
  caller: CallerDialect;
} & (
  | { kind: "operation"; operation: Operation }
  | { kind: "count" }
  | { kind: "stored"; route: StoredRoute }
  | { kind: "page"; page: Page }
  | { kind: "tasks"; found: FoundPage }
);

type Served = { operation: Operation; caller: CallerDialect };

const served = operations.flatMap((operation) => operation.endpoints.map((endpoint) => ({ operation, ...endpoint })));
/** Method → path → operation. */
const exact = new Map<string, Map<string, Served>>();
for (const { method, path, ...rest } of served) {
  if (typeof path !== "string") continue;
  exact.set(method, (exact.get(method) ?? new Map<string, Served>()).set(path, rest));
}
const patterns = served.filter(({ path }) => typeof path !== "string");

const RELAY_PATH =
  /^\/(v1|v2|v1beta\d*|api\/v3\/contents|dashboard\/billing|suno|kling|jimeng|((?!api\/)[\w-]+\/)?mj)(\/|\?|$)/;

/**
 * True for the paths of AI APIs, also those that are not served: their clients read JSON, never a page. All others go to
 * the console.
 */
export function isRelayPath(url: string): boolean {
  return RELAY_PATH.test(url);
}

type Asked = Pick<IncomingMessage, "method" | "url"> & { headers?: IncomingHttpHeaders };

export function findEndpoint({ method = "", url = "/", headers = {} }: Asked): Endpoint {
  const mark = url.indexOf("?");
  const path = mark === -1 ? url : url.slice(0, mark);
  const query = mark === -1 ? "" : withoutKey(url.slice(mark));
  const found = exact.get(method)?.get(path) ?? findPattern(method, path);
  if (found) return { kind: "operation", path, query, caller: found.caller, operation: found.operation };
  const counting = countingCaller(method, path);
  if (counting) return { kind: "count", path, query, caller: counting };
  const tasks = findTaskPage(method, path);
  if (tasks) return { kind: "tasks", path, query, caller: tasks.wire.caller, found: tasks };
  const caller = callerOfPath(path, headers, url);
  const route = findStored(method, path);
  if (route) return { kind: "stored", path, query, caller, route };
  return { kind: "page", path, query, caller, page: findPage(method, path) };
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

export function contextOf(exchange: Exchange, { caller, path, query }: Endpoint, options: OptionValues): CountCall {
  const { id: requestId, request } = exchange;
  return { caller, requestId, path, query, headers: request.headers, allowedOptions: options.AllowedRequestOptions };
}
