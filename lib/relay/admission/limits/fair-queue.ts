/** Waits in turn: each owner's waiters in their order, one of each owner at a time. */
export class FairQueue<Waiter extends { readonly owner: number }> {
  /** In the order of their turns. */
  private readonly byOwner = new Map<number, Waiter[]>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  get owners(): number {
    return this.byOwner.size;
  }

  lengthOf(owner: number): number {
    return this.byOwner.get(owner)?.length ?? 0;
  }

  /** Which turn a new waiter of this owner would have; 1 = the next. */
  positionOf(owner: number): number {
    const before = this.lengthOf(owner);
    let position = 1;
    for (const [other, waiters] of this.byOwner) {
      position += other === owner ? before : Math.min(waiters.length, before + 1);
    }
    return position;
  }

  push(waiter: Waiter): void {
    this.count += 1;
    const own = this.byOwner.get(waiter.owner);
    if (own) own.push(waiter);
    else this.byOwner.set(waiter.owner, [waiter]);
  }

  shift(): Waiter | undefined {
    for (const [owner, waiters] of this.byOwner) {
      const first = waiters.shift();
      this.byOwner.delete(owner);
      // The owner's next turn comes after everybody else's.
      if (waiters.length > 0) this.byOwner.set(owner, waiters);
      if (first) this.count -= 1;
      return first;
    }
    return undefined;
  }

  /** Takes out all that match, in no particular order. */
  remove(matches: (waiter: Waiter) => boolean): Waiter[] {
    const removed: Waiter[] = [];
    for (const [owner, waiters] of [...this.byOwner]) {
      const kept = waiters.filter((waiter) => !matches(waiter));
      if (kept.length === waiters.length) continue;
      removed.push(...waiters.filter((waiter) => !kept.includes(waiter)));
      if (kept.length > 0) this.byOwner.set(owner, kept);
      else this.byOwner.delete(owner);
    }
    this.count -= removed.length;
    return removed;
  }

  /** The first of a value that the waiters have, or null when nobody waits. */
  least(read: (waiter: Waiter) => number): number | null {
    let found: number | null = null;
    for (const waiters of this.byOwner.values()) {
      for (const waiter of waiters) found = Math.min(found ?? Number.POSITIVE_INFINITY, read(waiter));
    }
    return found;
  }
}
