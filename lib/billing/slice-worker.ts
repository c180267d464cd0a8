import type { LeaseStore } from "./billing-store";
import { adoptRow, freeOf, type Slice, standingOf, unbookedOf, type Want } from "./slice";
import { pause, type Timers, within } from "./timers";

export type SliceWorkerSettings = {
  store: LeaseStore;
  timers: Timers;
  nodeId: string;
  /** The current tick; it increases with every heartbeat. */
  tick: () => number;
  /** Called when this node is no longer registered; resolves when it has registered again. */
  rejoin: () => Promise<void>;
  onError: (error: unknown) => void;
};

export type SliceWorker = {
  /** Serves the waiting requests and returns quota if required. Runs one statement at a time per slice. */
  work(slice: Slice): void;
  /** Resolves when no statement is running. */
  settled(): Promise<void>;
};

/** How long other gateways have to return unused quota before a request is refused. */
const RETURN_WAIT_MS = 80;
const STATEMENT_MS = 15_000;
const LEAST_AHEAD = 16;
const MOST_AHEAD = 4_096;

/** "too much": there is less than a fair part, and asking for less is worth it. */
type Asked = "granted" | "refused" | "call in" | "too much" | "gone";

/** The part of the lease protocol that talks to the database, one slice at a time. */
export function createSliceWorker(settings: SliceWorkerSettings): SliceWorker {
  const { store, timers, nodeId, rejoin, onError } = settings;
  const working = new Set<Promise<void>>();

  function work(slice: Slice): void {
    if (slice.busy || slice.gone) return;
    slice.busy = true;
    const run = workOff(slice)
      .catch((error) => {
        // The connection may have been lost after a grant: the next run lowers the lease's row to the amount known
        // here.
        slice.recheck = true;
        slice.trim = true;
        onError(error);
        for (const waiter of slice.queue.splice(0)) waiter.reject(error);
      })
      .finally(() => {
        slice.busy = false;
        working.delete(run);
        if (slice.queue.length > 0) work(slice);
      });
    working.add(run);
  }

  async function workOff(slice: Slice): Promise<void> {
    let isLast = false;
    while (!slice.gone) {
      if (slice.trim) await giveBack(settings, slice);
      const first = slice.queue[0];
      if (!first) return;
      if (serve(slice, first, freeOf(slice) >= first.amount)) continue;
      slice.recheck = false;
      const asked = await ask(settings, slice, first, isLast);
      if (asked === "granted") serve(slice, first, freeOf(slice) >= first.least);
      if (asked === "gone") {
        slice.recheck = true;
        await rejoin();
      }
      if (asked === "call in") {
        await within(timers, STATEMENT_MS, store.askForReturns(nodeId, slice));
        await pause(timers, RETURN_WAIT_MS);
      }
      if (asked === "call in" || asked === "too much") isLast = true;
    }
  }

  return {
    work,
    async settled() {
      while (working.size > 0) await Promise.allSettled([...working]);
    },
  };
}

/** Gives the first request in line what it wants, or as much of it as there is. */
function serve(slice: Slice, first: Slice["queue"][number], isEnough: boolean): boolean {
  if (slice.recheck || !isEnough || slice.queue[0] !== first) return false;
  slice.queue.shift();
  const taken = Math.min(first.amount, freeOf(slice));
  slice.reserved += taken;
  first.resolve(taken);
  return true;
}

/**
 * Sends one statement for all waiting requests. When it gets nothing, it refuses the first and every other request that
 * is too large. The first asks for a fair part, and when others hold it (`isLast`), for the least that it can do with.
 */
async function ask(settings: SliceWorkerSettings, slice: Slice, first: Want, isLast: boolean): Promise<Asked> {
  const { store, timers, nodeId, tick } = settings;
  const { amount } = first;
  const free = freeOf(slice);
  const needed = Math.max(0, (isLast ? first.least : first.fair) - free);
  let inLine = 0;
  for (const waiter of slice.queue) inLine += waiter.fair;
  const wanted = Math.max(needed, inLine - free);
  const whole = Math.max(wanted, amount - free);
  slice.ahead = tick() - slice.askedTick <= 1 ? Math.min(slice.ahead * 2, MOST_AHEAD) : LEAST_AHEAD;
  slice.askedTick = tick();
  const spare = Math.min(amount * slice.ahead, Number.MAX_SAFE_INTEGER - wanted);
  const before = standingOf(slice);
  const grant = await within(timers, STATEMENT_MS, store.acquire(nodeId, slice, { needed, wanted, whole, spare }));
  if (!grant.registered) return "gone";
  slice.lease += grant.granted;
  adoptRow(slice, before, grant.held);
  if (grant.balance > 0 && freeOf(slice) >= amount) return "granted";
  if (grant.granted > 0 || (needed === 0 && grant.balance > 0)) return "granted";
  if (!isLast && grant.balance > 0) {
    if (grant.elsewhere > 0 && grant.available + grant.elsewhere >= first.least - free) return "call in";
    if (first.least < first.fair) return "too much";
  }
  if (grant.balance <= 0) refuse(slice, -1, -1);
  else
    refuse(slice, freeOf(slice) + grant.available, slice.lease - unbookedOf(slice) + grant.available + grant.elsewhere);
  return "refused";
}

/** Returns the free part, and anything granted by a statement whose reply was lost. */
async function giveBack({ store, timers, nodeId }: SliceWorkerSettings, slice: Slice): Promise<void> {
  slice.lease = Math.max(0, Math.min(slice.lease, slice.reserved));
  slice.trim = false;
  const before = standingOf(slice);
  const held = await within(timers, STATEMENT_MS, store.trim(nodeId, slice, slice.lease));
  adoptRow(slice, before, Math.min(held, before.lease));
}

/**
 * Refuses the first waiting request, and the others that want more than `most`. `whole`: what there would be if all who hold
 * some of it returned it.
 */
function refuse(slice: Slice, most: number, whole: number): void {
  const [first, ...others] = slice.queue.splice(0);
  for (const waiter of others) if (waiter.least <= most) slice.queue.push(waiter);
  for (const waiter of [first, ...others.filter(({ least }) => least > most)]) {
    waiter?.resolve(waiter.least <= whole ? "held" : "refused");
  }
}
