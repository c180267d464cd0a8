import { setImmediate as nextTurn } from "node:timers/promises";
import type { CapturedRequest, NewCapture } from "./store-commands";

type QueueSettings = {
  /** Redacts and seals; occupies the event loop for a millisecond or so. */
  prepare: (request: CapturedRequest) => NewCapture;
  /** `lost`: how many were dropped since the last call that succeeded. */
  store: (captures: readonly NewCapture[], lost: number) => Promise<void>;
  onError: (error: unknown) => void;
  itemsMax?: number;
  bytesMax?: number;
  /** More than so many captures a second are dropped, so that capturing never takes much of a core. */
  perSecond?: number;
};

export type CaptureQueue = {
  /** False = it was dropped and counted. */
  offer: (request: CapturedRequest) => boolean;
  /** Counts one that is not even begun. */
  drop: () => void;
  /** Dropped and not yet written down. */
  lost: () => number;
  /** Resolves when all that was taken is stored or dropped. */
  idle: () => Promise<void>;
};

const BATCH = 10;

/** Captured requests on their way to the database. Bounded: what does not fit is dropped and counted, and nothing waits. */
export function createCaptureQueue({
  prepare,
  store,
  onError,
  itemsMax = 100,
  bytesMax = 16 * 1_048_576,
  perSecond = 20,
}: QueueSettings): CaptureQueue {
  const waiting: CapturedRequest[] = [];
  let bytes = 0;
  let lost = 0;
  let second = 0;
  let inSecond = 0;
  let running: Promise<void> | null = null;

  function hasRoom(): boolean {
    const now = Math.floor(performance.now() / 1_000);
    if (now !== second) [second, inSecond] = [now, 0];
    return waiting.length < itemsMax && bytes < bytesMax && inSecond < perSecond;
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch: NewCapture[] = [];
      while (batch.length < BATCH) {
        const request = waiting.shift();
        if (!request) break;
        bytes -= sizeOf(request);
        // Each in a turn of its own, so that streams go on in between.
        await nextTurn();
        try {
          batch.push(prepare(request));
        } catch (error) {
          lost += 1;
          onError(error);
        }
      }
      const told = lost;
      try {
        await store(batch, told);
        lost -= told;
      } catch (error) {
        lost += batch.length;
        onError(error);
      }
    }
  }

  return {
    lost: () => lost,
    drop() {
      lost += 1;
    },
    offer(request) {
      if (!hasRoom() || bytes + sizeOf(request) > bytesMax) {
        lost += 1;
        return false;
      }
      inSecond += 1;
      bytes += sizeOf(request);
      waiting.push(request);
      running ??= drain().finally(() => {
        running = null;
      });
      return true;
    },
    async idle() {
      while (running) await running;
    },
  };
}

function sizeOf({ request, answer }: CapturedRequest): number {
  return request.bytes.length + answer.bytes.length;
}
