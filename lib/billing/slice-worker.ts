import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { acquireSlice, askForReturns, trimLease } from "./lease-queries";
import { freeOf, type Slice } from "./slice";
import { within } from "./within";

export type SliceWorkerSettings = {
  sql: Sql;
  nodeId: string;
  /** Advances with every heartbeat. */
  tick: () => number;
  /** Called when the database no longer knows this node; resolves once it is registered anew. */
  rejoin: () => Promise<void>;
  onError: (error: unknown) => void;
};

export type SliceWorker = {
  /** Serves those in line and gives back what is asked for, one statement at a time per slice. */
  work(slice: Slice): void;
  /** Resolves when no statement is under way. */
  settled(): Promise<void>;
};

/** How long other gateways get to give back what they do not use before a request is refused for lack of it. */
const RETURN_WAIT_MS = 80;
const STATEMENT_MS = 15_000;
const LEAST_AHEAD = 16;
const MOST_AHEAD = 4_096;

type Asked = "granted" | "refused" | "call in" | "gone";

/** The part of the lease protocol that talks to the database about one slice. */
export function createSliceWorker(settings: SliceWorkerSettings): SliceWorker {
  const { sql, nodeId, rejoin, onError } = settings;
  const working = new Set<Promise<void>>();

  function work(slice: Slice): void {
    if (slice.busy || slice.gone) return;
    slice.busy = true;
    const run = workOff(slice)
      .catch((error) => {
        // What a lost connection has granted is unknown: the next turn lowers the lease to what is known.
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
    let calledIn = false;
    while (!slice.gone) {
      if (slice.trim) await giveBack(settings, slice);
      const first = slice.queue[0];
      if (!first) return;
      if (!slice.recheck && freeOf(slice) >= first.amount) {
        slice.queue.shift();
        slice.reserved += first.amount;
        first.resolve("taken");
        continue;
      }
      slice.recheck = false;
      const asked = await ask(settings, slice, first.amount, calledIn);
      if (asked === "gone") {
        slice.recheck = true;
        await rejoin();
      }
      if (asked === "call in") {
        calledIn = true;
        await askForReturns(sql, nodeId, slice);
        await delay(RETURN_WAIT_MS);
      }
    }
  }

  return {
    work,
    async settled() {
      while (working.size > 0) await Promise.allSettled([...working]);
    },
  };
}

/** One statement for everyone in line; refuses those who cannot be served, the first at least. */
async function ask(settings: SliceWorkerSettings, slice: Slice, amount: number, calledIn: boolean): Promise<Asked> {
  const { sql, nodeId, tick } = settings;
  const free = freeOf(slice);
  const needed = Math.max(0, amount - free);
  let inLine = 0;
  for (const waiter of slice.queue) inLine += waiter.amount;
  const wanted = Math.max(needed, inLine - free);
  slice.ahead = tick() - slice.askedTick <= 1 ? Math.min(slice.ahead * 2, MOST_AHEAD) : LEAST_AHEAD;
  slice.askedTick = tick();
  const spare = Math.min(amount * slice.ahead, Number.MAX_SAFE_INTEGER - wanted);
  const grant = await within(STATEMENT_MS, acquireSlice(sql, nodeId, slice, { needed, wanted, spare }));
  if (!grant.registered) return "gone";
  slice.lease += grant.granted;
  if (grant.granted > 0 || (needed === 0 && grant.balance > 0)) return "granted";
  if (!calledIn && grant.balance > 0 && grant.elsewhere > 0 && grant.available + grant.elsewhere >= needed) {
    return "call in";
  }
  refuse(slice, grant.balance > 0 ? freeOf(slice) + grant.available : -1);
  return "refused";
}

/** Returns the free part and what an answer that never came may have granted. */
async function giveBack({ sql, nodeId }: SliceWorkerSettings, slice: Slice): Promise<void> {
  slice.lease = Math.max(0, Math.min(slice.lease, slice.reserved));
  slice.trim = false;
  await within(STATEMENT_MS, trimLease(sql, nodeId, slice, slice.lease));
}

/** Sends away the first in line and everyone else who wants more than there is. */
function refuse(slice: Slice, most: number): void {
  const [first, ...others] = slice.queue.splice(0);
  first?.resolve("refused");
  for (const waiter of others) {
    if (waiter.amount > most) waiter.resolve("refused");
    else slice.queue.push(waiter);
  }
}
