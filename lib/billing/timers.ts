/** Time as the lease book, the settler and the sweeper see it, so that a simulation can run them on its own clock. */
export type Timers = {
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** Runs once after `ms`; returns the cancellation. */
  after(ms: number, run: () => void): () => void;
  /** Runs once, after everything that is ready now. */
  soon(run: () => void): void;
  /** Runs every `ms` without keeping the process alive; returns the cancellation. */
  every(ms: number, run: () => void): () => void;
};

export const systemTimers: Timers = {
  now: () => performance.now(),
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  soon(run) {
    setImmediate(run);
  },
  every(ms, run) {
    const timer = setInterval(run, ms);
    timer.unref();
    return () => clearInterval(timer);
  },
};

export function pause(timers: Timers, ms: number): Promise<void> {
  return new Promise((resolve) => void timers.after(ms, resolve));
}

/** Rejects when the promise takes longer than `ms`. The started work continues, but its result is ignored. */
export async function within<T>(timers: Timers, ms: number, promise: Promise<T>): Promise<T> {
  let cancel = (): void => {};
  const late = new Promise<never>((_, reject) => {
    cancel = timers.after(ms, () => reject(new Error(`no answer from the database within ${ms} ms`)));
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    cancel();
  }
}
