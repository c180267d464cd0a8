import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = { first: 10, most: 40 };

/**
 * Polls until the condition is true; throws after `withinMs`. What comes late is asked for less often, after a tenth of the time waited
 * so far: most conditions are a statement or two.
 */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 2_000): Promise<void> {
  for (const start = performance.now(); !(await condition()); ) {
    const waited = performance.now() - start;
    if (waited > withinMs) throw new Error(`not so within ${withinMs} ms: ${condition}`);
    await delay(Math.min(POLL_MS.most, Math.max(POLL_MS.first, waited / 10)));
  }
}
