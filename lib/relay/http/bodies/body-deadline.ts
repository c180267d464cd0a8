import { type Placed, PlacedList } from "../../base/placed-list";

/** How slowly a request body may arrive. */
export type BodyPace = {
  /** Time that every body gets, however small. */
  graceMs: number;
  /** Every further second must bring this many bytes on average. */
  bytesPerSecond: number;
  /** No body may take longer. */
  wholeMs: number;
};

export const usualPace: BodyPace = { graceMs: 20_000, bytesPerSecond: 8_192, wholeMs: 300_000 };

/** A body on its way. */
export type Arriving = Placed & { startedAt: number; bytes: number; onLate: () => void };

const SWEEPS_PER_GRACE = 8;

/** Watches all bodies on their way with one timer, because one for each would cost more than reading most bodies. */
export function createBodyDeadline(pace: BodyPace) {
  const arriving = new PlacedList<Arriving>();
  const everyMs = pace.graceMs / SWEEPS_PER_GRACE;
  let timer: NodeJS.Timeout | undefined;
  let sweptAt = 0;

  function sweep(): void {
    const now = performance.now();
    const wasBusy = now - sweptAt > 2 * everyMs;
    sweptAt = now;
    // After a stall of this process, bytes may have arrived that it has not read yet.
    if (wasBusy) return;
    for (const body of [...arriving.items]) {
      const allowedMs = Math.min(pace.wholeMs, pace.graceMs + (body.bytes / pace.bytesPerSecond) * 1_000);
      if (now - body.startedAt > allowedMs) body.onLate();
    }
    if (arriving.items.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    watch(body: Arriving): void {
      arriving.add(body);
      if (timer) return;
      sweptAt = performance.now();
      timer = setInterval(sweep, everyMs).unref();
    },
    forget: (body: Arriving): void => arriving.remove(body),
  };
}

export type BodyDeadline = ReturnType<typeof createBodyDeadline>;
