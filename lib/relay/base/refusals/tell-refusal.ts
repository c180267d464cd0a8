import type { IncomingHttpHeaders } from "node:http";
import { type Locale, wantedLocale } from "@/lib/i18n/locale";
import type { ErrorTerms, WireError } from "../../wire/canonical/wire-error";
import type { RelayError } from "../relay-error";
import { sayDetail, sayRefusal, sayTodo } from "./refusal-texts";
import { endProgram } from "./stubborn-programs";

/** Who asks: the language, the dialect, the id of the request, and where the console is ("" = nobody has said it). */
export type Asker = { headers: IncomingHttpHeaders; dialect: string; id: string; serverAddress: string };

/** A refusal as it is sent. */
export type Told = {
  status: number;
  error: WireError;
  headers: Readonly<Record<string, string>>;
  terms: ErrorTerms;
  /** What of the request's id its text has; "" = nothing. */
  id: string;
};

/** A refusal in the words and with the headers of its caller's dialect, in its language. */
export function tellRefusal(
  refused: RelayError,
  { headers, dialect, id, serverAddress }: Asker,
  nowMs = Date.now(),
): Told {
  const { row, wire } = refused;
  const own = dialect === "anthropic-messages" ? row.anthropic : undefined;
  // A Host header may name the inside of a network, so that without the option there is no address to send people to.
  const site = serverAddress.replace(/\/+$/, "");
  const page = `/errors#${row.about}`;
  const help = site && `${site}${page}`;
  const message = messageOf(refused, localeOf(headers), site, help);
  const canWait = refused.maySoonBeServed;
  const waitMs = Math.ceil(refused.retryAfter * 1_000);
  const resetsAt = refused.resetsAt || (canWait || row.retry === "never" ? 0 : Math.ceil((nowMs + waitMs) / 1_000));
  const plain = {
    status: own?.status ?? row.status,
    error: { ...wire, message, type: own?.type ?? wire.type },
    reason: row.google ?? String(wire.code || "").toUpperCase(),
    id,
  };
  const { reason, ...ending } = canWait ? plain : endProgram(headers, plain);
  return {
    ...ending,
    headers: {
      ...(canWait ? afterHeaders(waitMs) : { "x-should-retry": "false" }),
      ...(resetsAt > 0 ? { "x-weir-resets-at": new Date(resetsAt * 1_000).toISOString() } : {}),
      // Relative to the request, where the address is not known.
      link: `<${site}${page}>; rel="help"`,
    },
    terms: { retryAfterMs: canWait ? waitMs : 0, reason, help },
  };
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

/** What happened, what to do, and where it is explained. An operator's or an upstream's own words stand alone. */
function messageOf(refused: RelayError, locale: Locale, site: string, help: string): string {
  const { refusal, numbers, wire, isOwnWords } = refused;
  if (refusal === null || isOwnWords) return wire.message;
  if (numbers === null) return sayDetail(refusal, wire.message, locale);
  const happened = sayRefusal(refusal, numbers, locale);
  const todo = sayTodo(refusal, numbers, site, locale);
  if (todo === "") return happened;
  const [stop, open, close] = locale === "zh" ? ["。", "（", "）"] : [". ", " (", ")"];
  return `${happened}${stop}${todo}${help && `${open}${help}${close}`}`;
}
