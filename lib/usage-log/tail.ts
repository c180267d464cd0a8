import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import type { UsageLog } from "./columns";

/** A settlement is booked some time after its timestamp, so every query goes back this far. */
const LOOK_BACK_SECONDS = 10;
/** How much a client that reconnects after a pause gets at most. */
const CATCH_UP_SECONDS = 300;
const POLL_MS = 1_000;
/** How often the user's permission is checked again. */
const CHECK_MS = 10_000;
const PER_USER_MAX = 4;
const PER_PROCESS_MAX = 40;
/** Rows of one event; when there are more, only the newest are sent, marked with isPart. */
export const TAIL_ROWS_MAX = 100;

export type TailSource = {
  userId: number;
  /** Unix seconds from which rows are wanted; at most CATCH_UP_SECONDS back. Rows up to LOOK_BACK_SECONDS older are included. */
  since: number;
  now: () => number;
  /** The newest rows since a time, newest first, at most TAIL_ROWS_MAX. */
  read: (since: number) => Promise<UsageLog[]>;
  /** False when the user may no longer see this. */
  mayGoOn: () => Promise<boolean>;
  pollMs?: number;
  checkMs?: number;
};

const shared = globalThis as typeof globalThis & { weirLogTails?: Map<number, number> };

/**
 * New log rows as server-sent events until the client disconnects: `rows` with {rows, isPart} (newest first), and
 * `ended` when the user is no longer signed in. Throws rate_limited when this user or the process has too many tails.
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
            // A regular comment keeps proxies from closing the connection as idle.
            say(": here\n\n");
          }
          say(await look());
          if (!isOver) timer = setTimeout(run, source.pollMs ?? POLL_MS);
        } catch (error) {
          if (isOver) return;
          logger.warn({ err: error }, "a live tail failed");
          end();
          controller.error(error);
        }
      };
      void run();
    },
    cancel: end,
  });
}

/** Returns a function that queries once: the event to send, "" without new rows. */
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
