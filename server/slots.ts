export type SlotLimits = {
  /** Slots in all. */
  total: number;
  /** Slots of one client. */
  perClient: number;
  /** Requests that may wait for a slot, and how long. */
  queued: number;
  queueMs: number;
};

type Waiting = { client: string; take: () => void };

/**
 * Slots for something scarce, with a bounded queue in order of arrival. A client at its own limit is refused at once, so
 * that it cannot fill the queue either.
 */
export function createSlots({ total, perClient, queued, queueMs }: SlotLimits) {
  const queue = new Set<Waiting>();
  const taken = new Map<string, number>();
  let free = total;

  function count(client: string, change: 1 | -1): void {
    const left = (taken.get(client) ?? 0) + change;
    if (left > 0) taken.set(client, left);
    else taken.delete(client);
  }

  function releaseOf(client: string): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      count(client, -1);
      const [next] = queue;
      if (next) next.take();
      else free += 1;
    };
  }

  /** Waits for a slot; `signal` ends the wait. Returns the function that gives it back, or why there is none. */
  async function acquire(client: string, signal: AbortSignal): Promise<(() => void) | "client" | "full" | "gone"> {
    if (signal.aborted) return "gone";
    if ((taken.get(client) ?? 0) >= perClient) return "client";
    if (free === 0 && queue.size >= queued) return "full";
    count(client, 1);
    if (free > 0) {
      free -= 1;
      return releaseOf(client);
    }
    const outcome = await wait(client, signal);
    if (outcome !== "taken") count(client, -1);
    return outcome === "taken" ? releaseOf(client) : outcome;
  }

  function wait(client: string, signal: AbortSignal): Promise<"taken" | "full" | "gone"> {
    return new Promise((done) => {
      const settle = (outcome: "taken" | "full" | "gone"): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", leave);
        queue.delete(waiting);
        done(outcome);
      };
      const leave = () => settle("gone");
      const waiting = { client, take: () => settle("taken") };
      const timer = setTimeout(() => settle("full"), queueMs);
      signal.addEventListener("abort", leave);
      queue.add(waiting);
    });
  }
  return { acquire };
}

export type Slots = ReturnType<typeof createSlots>;
