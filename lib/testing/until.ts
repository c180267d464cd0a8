import { setTimeout as delay } from "node:timers/promises";

/** Asks every few milliseconds until the condition holds; throws after the time. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 2_000): Promise<void> {
  for (const end = Date.now() + withinMs; !(await condition()); await delay(10)) {
    if (Date.now() > end) throw new Error(`not so within ${withinMs} ms: ${condition}`);
  }
}
