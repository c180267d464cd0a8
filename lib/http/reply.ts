import { AppError } from "@/lib/errors";
import type { Locale } from "@/lib/i18n/locale";
import { OTHER_USER_HEADER } from "@/lib/page-user";
import { errorMessage } from "./message";

/** A response with more than data: other fields beside it, cookies, or a failure. */
export class Reply {
  readonly body: Record<string, unknown>;
  readonly cookies: readonly string[];

  constructor(body: Record<string, unknown>, cookies: readonly string[] = []) {
    this.body = { success: true, message: "", ...body };
    this.cookies = cookies;
  }
}

const HEADERS = { "content-type": "application/json; charset=utf-8", "cache-control": "no-store" };

/** Puts a handler's result into the envelope of contract §1.1. */
export function succeed(result: unknown): Response {
  const reply = result instanceof Reply ? result : new Reply(result === undefined ? {} : { data: result });
  const response = new Response(JSON.stringify(reply.body), { status: 200, headers: HEADERS });
  for (const cookie of reply.cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** Business failures are HTTP 200; only a missing sign-in, throttling and server errors have their own status. */
export function fail(error: unknown, locale: Locale, status = statusOf(error)): Response {
  const body = { success: false, message: errorMessage(error, locale), ...codeOf(error, locale) };
  const isOtherUser = error instanceof AppError && error.code === "other_user";
  const headers = {
    ...HEADERS,
    ...(isOtherUser ? { [OTHER_USER_HEADER]: "1" } : {}),
    ...(status === 503 ? { "retry-after": String(AWAY_SECONDS) } : {}),
  };
  return new Response(JSON.stringify(body), { status, headers });
}

/**
 * The failures with a code: upon step_up_required the client asks the user for a proof and retries, or sends one along;
 * upon other_user the page is renewed.
 */
function codeOf(error: unknown, locale: Locale): { code?: string; message?: string } {
  if (!(error instanceof AppError)) return {};
  if (error.code === "other_user") return { code: error.code };
  if (error.code !== "step_up_required") return {};
  if (error.messageKey !== "stepUpRequired") return { code: error.code };
  return { code: error.code, message: errorMessage(new AppError(error.code, "stepUpAlong"), locale) };
}

/** 404 with an OpenAI error body for an unknown path (contract §1.1). */
export function notFound(request: Request, locale: Locale): Response {
  const { pathname } = new URL(request.url);
  const error = new AppError("not_found", "pathUnknown", { method: request.method, path: pathname });
  const body = {
    error: { message: errorMessage(error, locale), type: "invalid_request_error", param: "", code: "" },
  };
  return new Response(JSON.stringify(body), { status: 404, headers: HEADERS });
}

/** 405 with the methods of the path, or what OPTIONS asks for. */
export function refuseMethod(request: Request, locale: Locale, methods: readonly string[]): Response {
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: { allow } });
  const message = errorMessage(new AppError("invalid", "methodUnknown", { method: request.method }), locale);
  const body = { success: false, message, error: { message, type: "invalid_request_error", param: "", code: "" } };
  return new Response(JSON.stringify(body), { status: 405, headers: { ...HEADERS, allow } });
}

/** The empty 429 of contract §1.1. */
export function tooMany(seconds: number): Response {
  return new Response(null, { status: 429, headers: { "retry-after": String(seconds) } });
}

/** Until a caller should try again where it is away. */
const AWAY_SECONDS = 5;
/** Of what Weir stands on. */
const AWAY = new Set(["databaseAway", "logStoreAway", "logStoreCatchingUp"]);

function statusOf(error: unknown): number {
  if (!(error instanceof AppError)) return 500;
  if (error.messageKey === "bodyTooLarge") return 413;
  if (AWAY.has(error.messageKey)) return 503;
  if (error.code === "unauthenticated" && error.messageKey !== "credentialsWrong") return 401;
  return error.code === "rate_limited" ? 429 : 200;
}
