import { test } from "@playwright/test";

const HOUR = 3_600;
/** More than a test takes between writing a row and looking at it, except on a very busy machine. */
const ROOM_SECONDS = 30;

/**
 * Waits for the next full hour if it is close, for tests of "today", "this week" and "this month": these begin at a full
 * hour, and what was made just before it belongs to the day before.
 */
export async function awayFromFullHour(): Promise<void> {
  const left = (HOUR - ((Date.now() / 1_000) % HOUR)) * 1_000;
  if (left > ROOM_SECONDS * 1_000) return;
  test.info().setTimeout(test.info().timeout + left);
  await new Promise((done) => setTimeout(done, left));
}
