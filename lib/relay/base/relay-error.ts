import { isDatabaseTrouble, isUnstorable } from "@/lib/billing/sqlstate";
import { logger } from "@/lib/logger";
import type { WireError } from "../wire/canonical/wire-error";
import {
  RETRY_SECONDS_MAX,
  type RefusalName,
  type RefusalRow,
  type RefusalTopic,
  refusalRowFor,
  refusalRowOf,
} from "./refusals/refusal-table";
import { type Numbers, sayRefusal } from "./refusals/refusal-texts";

/** What could not be done, for the log of the process, and why. Callers never see it. */
export type Trouble = { what: string; cause: unknown };

type Details = {
  param?: string | null;
  /** A finer code than that of the row. */
  code?: string | null;
  /** Seconds until a retry makes sense; absent = unknown. */
  retryAfter?: number;
  /** Unix seconds, where what was used up is there again. */
  resetsAt?: number;
  trouble?: Trouble | null;
  /** Absent = as the row says. */
  isCallers?: boolean;
  /** The text is the operator's. */
  isOwnWords?: boolean;
};

/** Refusals with a status of servers for what the caller asks for, or has under way itself. */
const OF_CALLERS: ReadonlySet<RefusalTopic> = new Set(["path", "held", "object"]);

/** A refusal of the table, whose message is shown to the client. Any other error is a bug and becomes a 500. */
export class RelayError extends Error {
  /** Its row; null = an upstream's error that is passed on. */
  readonly refusal: RefusalName | null;
  readonly row: RefusalRow;
  readonly wire: WireError;
  /** Seconds until a retry makes sense; 0 = unknown. */
  readonly retryAfter: number;
  /** Unix seconds; 0 = it does not end by itself. */
  readonly resetsAt: number;
  /** What fills the text of the table; null = the message is a text of its own. */
  readonly numbers: Numbers | null;
  /** Null = nothing went wrong here. */
  readonly trouble: Trouble | null;
  /** Whether the caller asked for what there is not, whatever the status: the log of the process then has no error. */
  readonly isCallers: boolean;
  /** The text is the operator's, and stands alone. */
  readonly isOwnWords: boolean;

  /** `said`: what fills the row's text, which is in the caller's language, or an English text of its own. */
  constructor(name: RefusalName, said: Numbers | string, details: Details = {}) {
    const message = typeof said === "string" ? said : sayRefusal(name, said, "en");
    super(message);
    const { param = null, code, retryAfter = 0, resetsAt = 0, trouble = null, isCallers, isOwnWords = false } = details;
    this.name = "RelayError";
    this.refusal = name;
    this.row = refusalRowOf(name);
    this.numbers = typeof said === "string" ? null : said;
    this.retryAfter = retryAfter;
    this.resetsAt = resetsAt;
    this.trouble = trouble;
    this.isOwnWords = isOwnWords;
    this.isCallers = isCallers ?? (this.row.status < 500 || OF_CALLERS.has(this.row.about));
    this.wire = { message, type: this.row.type, param, code: code === undefined ? (this.row.code ?? name) : code };
  }

  get status(): number {
    return this.row.status;
  }

  /** Whether a program should ask again by itself. */
  get maySoonBeServed(): boolean {
    return this.row.retry === "wait" && this.retryAfter <= RETRY_SECONDS_MAX;
  }
}

/** An upstream's error, or what became of its failure, on its way to the caller (contract §4.6). */
export function passedOn({ status, error }: { status: number; error: WireError }, waitMs: number | null): RelayError {
  const row = refusalRowFor(status, error.code) ?? {
    ...UPSTREAMS_OWN,
    status,
    type: error.type,
    retry: retryOf(status),
  };
  return Object.assign(new RelayError("upstream_error", error.message), {
    refusal: null,
    row: { ...row, status },
    wire: error,
    retryAfter: (waitMs ?? 0) / 1_000,
  });
}

const UPSTREAMS_OWN = { about: "upstream" } as const;

/** Official clients repeat these, so that a caller may as well. */
function retryOf(status: number): RefusalRow["retry"] {
  return [408, 409, 425, 429].includes(status) || (status >= 500 && status !== 501) ? "wait" : "never";
}

/** Seconds after which a caller should try again. */
const DATABASE_AWAY_SECONDS = 5;

/**
 * Keys cannot be looked up, nothing can be reserved, or charges cannot be stored: nothing more is taken on. 400 where the
 * caller's text is what the database cannot take.
 */
export function databaseAway(trouble: Trouble | null = null): RelayError {
  if (trouble && isUnstorable(trouble.cause)) return unstorable();
  return new RelayError("database_away", {}, { retryAfter: DATABASE_AWAY_SECONDS, trouble });
}

/** The process stops. */
export function restarting(): RelayError {
  return new RelayError("gateway_restarting", {}, { retryAfter: 1 });
}

/** For an error that was not foreseen. What it was is in the log of the process only. */
export function faultOf(error: unknown): RelayError {
  if (isUnstorable(error)) return unstorable();
  return isDatabaseTrouble(error) ? databaseAway() : new RelayError("internal_error", {});
}

function unstorable(): RelayError {
  return new RelayError("invalid_request", "the request has a NUL character where none can be");
}

/** To be called where a request is refused: what found the trouble does not know whose request it was. */
export function logTrouble({ trouble }: RelayError, request: string): void {
  if (trouble) logger.error({ err: trouble.cause, request }, trouble.what);
}
