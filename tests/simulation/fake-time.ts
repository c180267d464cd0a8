import type { Timers } from "@/lib/billing/timers";

/** Repeatable random numbers (mulberry32). */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** In [0, 1). */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }
}

type Event = { at: number; order: number; run: () => void; isCancelled: boolean };

/** A clock that stands still until the next event, and the queue of events. */
export class FakeTime {
  now = 0;
  private heap: Event[] = [];
  private orders = 0;

  after(ms: number, run: () => void): () => void {
    const event = { at: this.now + Math.max(0, ms), order: this.orders++, run, isCancelled: false };
    this.push(event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Timers of one process: none fires once `isAlive` is false. */
  timersOf(isAlive: () => boolean): Timers {
    const after = (ms: number, run: () => void) => this.after(ms, () => isAlive() && run());
    return {
      now: () => this.now,
      after,
      soon: (run) => void after(0, run),
      every(ms, run) {
        let cancel = (): void => {};
        const again = (): void => {
          cancel = after(ms, () => {
            again();
            run();
          });
        };
        again();
        return () => cancel();
      },
    };
  }

  /** Runs events until the moment, with everything they set off in between. */
  async runUntil(moment: number, afterEach: () => void): Promise<void> {
    for (;;) {
      const event = this.heap[0];
      if (!event || event.at > moment) break;
      this.pop();
      if (event.isCancelled) continue;
      this.now = event.at;
      event.run();
      // After everything that promises set off; cheaper than a turn of the event loop.
      await new Promise<void>(process.nextTick);
      afterEach();
    }
    this.now = Math.max(this.now, moment);
  }

  private push(event: Event): void {
    const { heap } = this;
    let at = heap.push(event) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(event, heap[parent])) break;
      heap[at] = heap[parent] as Event;
      at = parent;
    }
    heap[at] = event;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (isBefore(heap[child + 1], heap[child])) child += 1;
      if (!isBefore(heap[child], last)) break;
      heap[at] = heap[child] as Event;
      at = child;
    }
    heap[at] = last;
  }
}

function isBefore(one: Event | undefined, other: Event | undefined): boolean {
  if (!one) return false;
  if (!other) return true;
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
