import { setTimeout as delay } from "node:timers/promises";

/** Polls every 10 ms until the condition is true; throws after `withinMs`. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 2_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await condition()); await delay(10)) {
    if (Date.now() > end) throw new Error(`not so within ${withinMs} ms: ${condition}`);
  }
}
