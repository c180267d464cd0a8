import type { IncomingHttpHeaders } from "node:http";
import { type Locale, wantedLocale } from "@/lib/i18n/locale";
import { publicAddressOf } from "@/lib/request/public-address";
import type { ErrorTerms, WireError } from "../canonical/wire-error";
import type { RelayError } from "../relay-error";
import { sayDetail, sayRefusal, sayTodo } from "./refusal-texts";

/** What clients wait for at most: they obey longer times without a bound. */
export const RETRY_SECONDS_MAX = 60;

/** Who asks: the language, the dialect, and where the console is. */
export type Asker = { headers: IncomingHttpHeaders; dialect: string; serverAddress: string };

/** A refusal as it is sent. */
export type Told = {
  status: number;
  error: WireError;
  headers: Readonly<Record<string, string>>;
  terms: ErrorTerms;
};

/** A refusal in the words and with the headers of its caller's dialect, in its language. */
export function tellRefusal(refused: RelayError, { headers, dialect, serverAddress }: Asker, nowMs = Date.now()): Told {
  const { row, wire } = refused;
  const own = dialect === "anthropic-messages" ? row.anthropic : undefined;
  const site = siteOf(headers, serverAddress);
  const help = `${site}/errors#${row.about}`;
  const message = messageOf(refused, localeOf(headers), site, help);
  const { waitMs, resetsAt } = waitOf(refused, nowMs);
  const canWait = row.retry === "wait" && waitMs <= RETRY_SECONDS_MAX * 1_000;
  return {
    status: own?.status ?? row.status,
    error: { ...wire, message, type: own?.type ?? wire.type },
    headers: {
      ...(canWait ? afterHeaders(waitMs) : { "x-should-retry": "false" }),
      ...(resetsAt > 0 ? { "x-weir-resets-at": new Date(resetsAt * 1_000).toISOString() } : {}),
      link: `<${help}>; rel="help"`,
    },
    terms: { retryAfterMs: canWait ? waitMs : 0, reason: row.google ?? String(wire.code || "").toUpperCase(), help },
  };
}

function waitOf({ retryAfter, resetsAt, row }: RelayError, nowMs: number): { waitMs: number; resetsAt: number } {
  const waitMs = Math.ceil(retryAfter * 1_000);
  const isLong = row.retry === "wait" && waitMs > RETRY_SECONDS_MAX * 1_000;
  return { waitMs, resetsAt: resetsAt === 0 && isLong ? Math.ceil((nowMs + waitMs) / 1_000) : resetsAt };
}

/** 0 = nobody knows how long. */
function afterHeaders(waitMs: number): Record<string, string> {
  if (waitMs === 0) return {};
  return { "retry-after": String(Math.ceil(waitMs / 1_000)), "retry-after-ms": String(waitMs) };
}

/** The language that the caller asks for; programs ask for none, and read English. */
function localeOf(headers: IncomingHttpHeaders): Locale {
  return wantedLocale(headers["accept-language"] ?? "") ?? "en";
}

function siteOf({ host = "", "x-forwarded-proto": proto = "" }: IncomingHttpHeaders, serverAddress: string): string {
  return publicAddressOf(serverAddress, new Headers({ host, "x-forwarded-proto": String(proto) }));
}

/** What happened, what to do, and where it is explained. An operator's own words stand alone. */
function messageOf(refused: RelayError, locale: Locale, site: string, help: string): string {
  const { refusal, numbers, wire, row } = refused;
  if (refusal === null) return wire.message;
  const happened = numbers ? sayRefusal(refusal, numbers, locale) : sayDetail(refusal, wire.message, locale);
  const todo = numbers === null ? "" : sayTodo(row.about, site, locale);
  if (todo === "") return happened;
  return locale === "zh" ? `${happened}。${todo}（${help}）` : `${happened}. ${todo} (${help})`;
}
