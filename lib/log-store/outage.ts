import { logger } from "@/lib/logger";
import { isAwayFor, reasonOf } from "./trouble";

const SAY_AGAIN_MS = 60_000;

/** What finds out whether the log store works: its readers, and the job that sends to it. */
const WATCHED = ["reading", "log-shipping"];

type Say = Pick<typeof logger, "error" | "warn" | "info">;
/** `refuses`: it can be reached, and does not take what is sent to it. */
type Kind = "away" | "refuses";
const LINES: Readonly<Record<Kind, Readonly<Record<"begins" | "lasts" | "ends", string>>>> = {
  away: {
    begins: "the log store is away; log rows wait in PostgreSQL until it is back",
    lasts: "the log store is still away",
    ends: "the log store is back",
  },
  refuses: {
    begins: "the log store does not take all log rows; they wait in PostgreSQL",
    lasts: "the log store still does not take all log rows",
    ends: "the log store takes all log rows again",
  },
};

type Outage = {
  kind: Kind;
  /** As its readers and the job that sends to it say; other jobs know less. */
  reason: string;
  since: number;
  saidAt: number;
  failing: Set<string>;
  heldUp: Set<string>;
  waitingRows: number | null;
};

/**
 * Says in this process's log that the log store is away: a line when it begins, one a minute at most while it lasts, and one when
 * it is over, however many jobs and readers meet it. `part` is "reading" or the name of a job.
 */
export class OutageLog {
  private readonly say: Say;
  private current: Outage | null = null;

  constructor(say: Say = logger) {
    this.say = say;
  }

  get isAway(): boolean {
    return this.current !== null;
  }

  /** `waitingRows`: how many log rows wait for it, where that is known. */
  failed(part: string, error: unknown, waitingRows: number | null = null): void {
    const now = Date.now();
    const kind = isAwayFor(error) ? "away" : "refuses";
    const reason = reasonOf(error);
    const isNew = this.current === null || (kind === "away" && this.current.kind === "refuses");
    if (isNew)
      this.current = {
        kind,
        reason,
        since: now,
        saidAt: now,
        failing: new Set(),
        heldUp: new Set(),
        waitingRows: null,
      };
    const outage = this.current as Outage;
    outage.failing.add(part);
    if (!WATCHED.includes(part)) outage.heldUp.add(part);
    outage.waitingRows = waitingRows ?? outage.waitingRows;
    if (WATCHED.includes(part)) outage.reason = reason;
    if (isNew) this.say.error({ reason, ...rowsOf(outage) }, LINES[kind].begins);
    if (now - outage.saidAt < SAY_AGAIN_MS) return;
    outage.saidAt = now;
    const heldUp = outage.heldUp.size === 0 ? {} : { heldUp: [...outage.heldUp].sort() };
    this.say.warn(
      { reason: outage.reason, ...secondsOf(outage, now), ...rowsOf(outage), ...heldUp },
      LINES[outage.kind].lasts,
    );
  }

  /** `waitingRows`: how many had waited. */
  worked(part: string, waitingRows: number | null = null): void {
    const outage = this.current;
    if (!outage?.failing.delete(part)) return;
    outage.waitingRows = waitingRows ?? outage.waitingRows;
    // A job that was held up learns of the end at its next turn only, which may be in minutes.
    if (WATCHED.includes(part) && !WATCHED.some((one) => outage.failing.has(one))) outage.failing.clear();
    if (outage.failing.size > 0) return;
    this.current = null;
    this.say.info({ ...secondsOf(outage, Date.now()), ...rowsOf(outage) }, LINES[outage.kind].ends);
  }
}

function secondsOf({ since }: Outage, now: number): { awaySeconds: number } {
  return { awaySeconds: Math.round((now - since) / 1_000) };
}

function rowsOf({ waitingRows }: Outage): { waitingRows?: number } {
  return waitingRows === null ? {} : { waitingRows };
}

/** Of this process. */
export const logStoreOutage = new OutageLog();
