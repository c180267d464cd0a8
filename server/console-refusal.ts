import type { IncomingMessage, ServerResponse } from "node:http";
import { AppError } from "@/lib/errors";
import { errorMessage } from "@/lib/http/message";
import { chooseLocale, LOCALE_COOKIE } from "@/lib/i18n/locale";
import { cookieIn } from "@/lib/request/cookie";
import { endRest } from "./end-rest";

/** Why the gateway does not pass a request on to the console, by HTTP status. */
const REASONS = {
  400: "parametersInvalid",
  408: "bodyTooSlow",
  413: "bodyTooLarge",
  429: "tooManyAtOnce",
  503: "consoleBusy",
} as const;

export type RefusalStatus = keyof typeof REASONS;

export class ConsoleRefusal extends Error {
  readonly status: RefusalStatus;

  constructor(status: RefusalStatus) {
    super(REASONS[status]);
    this.name = "ConsoleRefusal";
    this.status = status;
  }
}

const RETRY_SECONDS = 2;

/** Answers in the client's language: /api in its envelope, everything else as text. */
export function refuseRequest(request: IncomingMessage, response: ServerResponse, status: RefusalStatus): void {
  if (response.destroyed || response.headersSent) return void response.destroy();
  const headers = new Headers({ cookie: request.headers.cookie ?? "" });
  const locale = chooseLocale(cookieIn(headers, LOCALE_COOKIE), request.headers["accept-language"] ?? null);
  const message = errorMessage(new AppError("invalid", REASONS[status]), locale);
  const isApi = /^\/(api|pg)\//.test(request.url ?? "");
  const body = Buffer.from(isApi ? JSON.stringify({ success: false, message }) : `${message}\n`);
  response.writeHead(status, {
    "content-type": isApi ? "application/json; charset=utf-8" : "text/plain; charset=utf-8",
    "content-length": body.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...(status === 429 || status === 503 ? { "retry-after": String(RETRY_SECONDS) } : {}),
  });
  response.end(body);
  endRest(request);
}
