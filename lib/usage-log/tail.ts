import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import type { UsageLog } from "./types";

/** A settlement is booked some moments after the time it carries; so far back every look goes. */
const LOOK_BACK_SECONDS = 10;
/** Who comes back after a pause gets what came since, but not more than this. */
const CATCH_UP_SECONDS = 300;
const POLL_MS = 1_000;
/** Whether the reader may still see this is asked that often. */
const CHECK_MS = 10_000;
const PER_USER_MAX = 4;
const PER_PROCESS_MAX = 40;
/** The newest rows of one look; a flood is shown in part, and said to be. */
export const TAIL_ROWS_MAX = 100;

export type TailSource = {
  userId: number;
  /** Unix seconds from which rows are wanted; at most CATCH_UP_SECONDS back. Some moments before count as well. */
  since: number;
  now: () => number;
  /** The newest rows since a moment, newest first, at most TAIL_ROWS_MAX. */
  read: (since: number) => Promise<UsageLog[]>;
  /** False once the reader may see this no longer. */
  mayGoOn: () => Promise<boolean>;
  pollMs?: number;
  checkMs?: number;
};

const shared = globalThis as typeof globalThis & { weirLogTails?: Map<number, number> };

/**
 * New rows of the log as server-sent events until the receiver leaves: `rows` with {rows, isPart} (newest first), and
 * `ended` when the reader is no longer signed in. Throws rate_limited when this reader or the process has enough of them.
 */
export function tailLogs(source: TailSource): ReadableStream<Uint8Array> {
  const release = takePlace(source.userId);
  const encoder = new TextEncoder();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const end = () => {
    isOver = true;
    clearTimeout(timer);
    release();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const say = (text: string) => (isOver ? undefined : controller.enqueue(encoder.encode(text)));
      const look = createLook(source);
      let checkedAt = Date.now();
      say("retry: 3000\n\n");
      const run = async () => {
        try {
          if (Date.now() - checkedAt >= (source.checkMs ?? CHECK_MS)) {
            checkedAt = Date.now();
            if (!(await source.mayGoOn())) {
              say("event: ended\ndata: {}\n\n");
              end();
              return controller.close();
            }
            // Something is sent now and then, or what lies between would take the connection for dead.
            say(": here\n\n");
          }
          say(await look());
          if (!isOver) timer = setTimeout(run, source.pollMs ?? POLL_MS);
        } catch (error) {
          if (isOver) return;
          logger.warn({ err: error }, "a live tail broke off");
          end();
          controller.error(error);
        }
      };
      void run();
    },
    cancel: end,
  });
}

/** One look for new rows: what is sent for it, "" when there are none. */
function createLook({ since, now, read }: TailSource): () => Promise<string> {
  const seen = new Map<number, number>();
  let from = Math.max(since, now() - CATCH_UP_SECONDS) - LOOK_BACK_SECONDS;
  return async () => {
    const lookedAt = now();
    const rows = await read(from);
    const fresh = rows.filter(({ id }) => !seen.has(id));
    for (const { id, createdAt } of fresh) seen.set(id, createdAt);
    from = Math.max(from, lookedAt - LOOK_BACK_SECONDS);
    for (const [id, createdAt] of seen) if (createdAt < from) seen.delete(id);
    if (fresh.length === 0) return "";
    const newest = Math.max(...fresh.map(({ createdAt }) => createdAt));
    const data = JSON.stringify({ rows: fresh, isPart: fresh.length === TAIL_ROWS_MAX });
    return `id: ${newest}\nevent: rows\ndata: ${data}\n\n`;
  };
}

function takePlace(userId: number): () => void {
  shared.weirLogTails ??= new Map();
  const tails = shared.weirLogTails;
  const own = tails.get(userId) ?? 0;
  const all = [...tails.values()].reduce((sum, count) => sum + count, 0);
  if (own >= PER_USER_MAX || all >= PER_PROCESS_MAX) throw new AppError("rate_limited", "logTailsTooMany");
  tails.set(userId, own + 1);
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    const left = (tails.get(userId) ?? 1) - 1;
    if (left > 0) tails.set(userId, left);
    else tails.delete(userId);
  };
}
