import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { authenticate, findSessionActor } from "@/lib/auth/actor";
import type { AccountRow } from "@/lib/auth/queries";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { isUnstorable } from "@/lib/billing/sqlstate";
import { consoleDatabase, orDatabaseAway } from "@/lib/console-database";
import { type Actor, ROLE, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { PAGE_USER_HEADER } from "@/lib/page-user";
import { fromReplica } from "@/lib/replica/from-replica";
import { noteWrite } from "@/lib/replica/last-write-commands";
import { clientIpOf } from "@/lib/request/client-address";
import { cookieOf } from "@/lib/request/cookie";
import { parseInput } from "@/lib/validation";
import { readJsonBody } from "./body";
import { type FieldNote, lostFields, type NoteReason, refuseUnknownLimits, unreadFields } from "./body-fields";
import { ID_MAX } from "./id";
import { localeOf } from "./message";
import { originOf, refuseOtherSites, requireOwnOrigin } from "./origin";
import { requireStatedUser } from "./page-user";
import { assertPlainData } from "./plain-data";
import { withProof } from "./proof";
import { findTokenCaller, limitCall, limited, NO_TOKEN, type RateClass } from "./rate-limit";
import { fail, notFound, refuseMethod, succeed, tooMany, withWarnings } from "./reply";

const METHODS = ["GET", "POST", "PUT", "DELETE"] as const;
type Method = (typeof METHODS)[number];
/** "public": no sign-in; "optional": the user if signed in; else the minimum role. */
type Access = "public" | "optional" | "user" | "admin" | "root";

type Call<Query, Body> = {
  ctx: ServiceContext;
  request: Request;
  id: number;
  query: Query;
  body: Body;
  /** Names a field in the reply that has no effect as it was sent. */
  note: (field: string, because: NoteReason) => void;
};

type Definition<Query extends z.ZodType, Body extends z.ZodType> = {
  method: Method;
  /** Relative to the resource, e.g. "/search"; ":id" stands for an integer. */
  path: string;
  access: Access;
  /** "critical" for calls that invite guessing or send messages: few are allowed per client address. */
  limit?: RateClass;
  /** A GET that only reads, and may show what was a few seconds ago: it is read from the replica, where there is one. */
  reads?: true;
  /** A GET that changes something or sends a message: pages of other sites may not cause it either. */
  changes?: true;
  /** May answer step_up_required, and takes the proof along with the call (contract §1.2). */
  proof?: true;
  query?: Query;
  body?: Body;
  /** What clients send back whole to this call: its fields that `body` has not can only be read. */
  row?: z.ZodObject;
  /** The schema of what the handler makes of the body: its bounds, defaults and required fields, for the OpenAPI document. */
  makes?: z.ZodObject;
  /** The schema of a body that the handler reads itself; for the OpenAPI document only. */
  documentedBody?: z.ZodType;
  /** HTTP status for an invalid body; 200 where the contract names none. */
  malformedStatus?: number;
  /** What a refused call gets where the contract has no envelope. */
  refusal?: () => Response;
  /** Returns the data for the envelope, a Reply, or a Response where the contract has no envelope. */
  handler: (call: Call<z.output<Query>, z.output<Body>>) => Promise<unknown>;
};

/** A route with its schemas, which the OpenAPI document is built from. */
export type Route = {
  method: Method;
  path: string;
  access: Access;
  limit: RateClass;
  proof: boolean;
  malformedStatus: number | undefined;
  refusal: (() => Response) | undefined;
  reads: boolean;
  changes: boolean;
  query: z.ZodType | undefined;
  body: z.ZodType | undefined;
  makes: z.ZodObject | undefined;
  run: (call: { ctx: ServiceContext; request: Request; id: number }) => Promise<unknown>;
};

export function route<Query extends z.ZodType = z.ZodUndefined, Body extends z.ZodType = z.ZodUndefined>(
  definition: Definition<Query, Body>,
): Route {
  const { method, path, access, limit = "global", proof = false, query, body } = definition;
  const { documentedBody, malformedStatus, refusal, handler, reads = false, changes = method !== "GET" } = definition;
  const { row, makes } = definition;
  return {
    method,
    path,
    access,
    limit,
    proof,
    malformedStatus,
    refusal,
    reads,
    changes,
    query,
    body: body ?? documentedBody,
    makes,
    async run(call) {
      const parameters = Object.fromEntries(new URL(call.request.url).searchParams);
      assertPlainData(parameters);
      const given = body ? await readJsonBody(call.request) : undefined;
      const read = {
        query: (query ? parseInput(query, parameters) : undefined) as z.output<Query>,
        body: (body ? parseInput(body, given) : undefined) as z.output<Body>,
      };
      const notes = body && given ? unreadFields(body, given, { row, isProofRead: proof }) : [];
      // Nobody can set a limit where nobody need be signed in; "quota" at a registration is only named.
      if (access !== "public") refuseUnknownLimits(notes, given ?? {});
      const ctx = proof ? await withProof(call.ctx, call.request, given) : call.ctx;
      const effectless: FieldNote[] = [];
      const note = (field: string, because: NoteReason) => void effectless.push({ field, code: "no_effect", because });
      const result = await handler({ ...call, ctx, ...read, note });
      const lost = [...effectless, ...lostFields(notes, given ?? {}, result)];
      return lost.length === 0 ? result : withWarnings(result, lost, localeOf(call.request));
    },
  };
}

/** Next passes no context to a resource without subpaths. */
type Handler = (request: Request, context?: { params: Promise<{ path?: string[] }> }) => Promise<Response>;

const tables = new WeakMap<Handler, readonly Route[]>();

/** The routes behind a handler of `defineRoutes`. Throws for any other function. */
export function routesOf(handler: Handler): readonly Route[] {
  const routes = tables.get(handler);
  if (!routes) throw new Error("not a handler of a route table");
  return routes;
}

/** Every method that Next hands over; it answers HEAD by GET. */
type Handlers = Record<Method | "PATCH" | "OPTIONS", Handler>;

/**
 * Makes the route handlers of a resource from its table. Paths match with and without a trailing slash; others get a 404,
 * and other methods of a path a 405.
 */
export function defineRoutes(routes: readonly Route[]): Handlers {
  const handler: Handler = async (request, context) => {
    const segments = ((await context?.params)?.path ?? []).filter((segment) => segment !== "");
    const found = match(routes, request.method === "HEAD" ? "GET" : request.method, segments);
    const requestId = randomUUID();
    const response = found
      ? await answer(found.route, request, found.id, requestId)
      : await refuse(
          request,
          METHODS.filter((method) => match(routes, method, segments)),
        );
    // An answer of the relay has the id under which the log knows it.
    if (!response.headers.has("x-oneapi-request-id")) response.headers.set("x-oneapi-request-id", requestId);
    return response;
  };
  tables.set(handler, routes);
  return { GET: handler, POST: handler, PUT: handler, PATCH: handler, DELETE: handler, OPTIONS: handler };
}

/** `methods`: those that the path has. */
const refuse = limited("global", "api", (request, methods: readonly Method[]) => {
  const locale = localeOf(request);
  return methods.length > 0 ? refuseMethod(request, locale, methods) : notFound(request, locale);
});

/** The route for a method and the path segments below the resource; null when none matches. */
export function findRoute(handler: Handler, method: string, segments: string[]): Route | null {
  return match(routesOf(handler), method, segments)?.route ?? null;
}

function match(routes: readonly Route[], method: string, segments: string[]): { route: Route; id: number } | null {
  for (const candidate of routes) {
    const pattern = candidate.path.split("/").filter((part) => part !== "");
    if (candidate.method !== method || pattern.length !== segments.length) continue;
    const at = pattern.indexOf(":id");
    const fits = pattern.every((part, index) =>
      part === ":id" ? /^-?\d{1,10}$/.test(segments[index] ?? "") : part === segments[index],
    );
    if (fits) return { route: candidate, id: at === -1 ? 0 : toId(Number(segments[at])) };
  }
  return null;
}

/** A number above the id range becomes 0, which is never a valid id. */
function toId(number: number): number {
  return number > ID_MAX ? 0 : number;
}

async function answer(found: Route, request: Request, id: number, requestId: string): Promise<Response> {
  const locale = localeOf(request);
  try {
    const { db, sql } = consoleDatabase();
    const stranger: ServiceContext = {
      db,
      sql,
      actor: { type: "anonymous" },
      clientIp: clientIpOf(request.headers),
    };
    const cookie = originOf(request.headers) === "other" ? undefined : cookieOf(request, SESSION_COOKIE);
    // A session counts for its address, also where the request has an access token as well.
    const byToken = cookie ? NO_TOKEN : await findTokenCaller(stranger, request.headers.get("authorization"));
    const waitSeconds = byToken.waitSeconds || (await limitCall(stranger, found.limit, "api", byToken));
    if (waitSeconds > 0) return tooMany(request, waitSeconds);
    const ctx = { ...stranger, actor: await actorOf(found, request, cookie, byToken.account) };
    const result = await (found.reads
      ? fromReplica(ctx, (there) => found.run({ ctx: there, request, id }))
      : found.run({ ctx, request, id }).finally(() => noteWrite(ctx)));
    return result instanceof Response ? result : succeed(result);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (found.refusal && error instanceof AppError && error.code === "invalid" && error.messageKey !== "bodyTooLarge")
      return found.refusal();
    const malformed = error instanceof AppError && error.messageKey === "parametersInvalid";
    if (malformed && found.malformedStatus) return fail(error, locale, found.malformedStatus);
    if (!(error instanceof AppError))
      logger.error({ err: error, path: found.path, request: requestId }, "an API call failed");
    return fail(error, locale);
  }
}

function toAppError(thrown: unknown): unknown {
  return isUnstorable(thrown) ? new AppError("invalid", "parametersInvalid", {}, thrown) : orDatabaseAway(thrown);
}

async function actorOf(
  { access, changes }: Route,
  request: Request,
  cookie: string | undefined,
  tokenAccount: AccountRow | null,
): Promise<Actor> {
  // Another site must not act with the user's cookie, nor sign the user in or out, nor have mail sent.
  if (changes) refuseOtherSites(request.headers);
  if (access === "public") return { type: "anonymous" };
  if (request.method !== "GET") requireOwnOrigin(request.headers);
  const { db } = consoleDatabase();
  const { headers } = request;
  if (access === "optional" || headers.has(PAGE_USER_HEADER)) {
    const bySession = (await findSessionActor(db, cookie)) ?? ({ type: "anonymous" } as const);
    requireStatedUser(headers, bySession);
    if (access === "optional") return bySession;
  }
  const credentials = {
    cookie,
    authorization: headers.get("authorization"),
    userId: headers.get("new-api-user"),
    tokenAccount,
  };
  return authenticate(db, credentials, ROLE[access]);
}
