import { AppError } from "@/lib/errors";
import { createRateWindow, type RateWindow } from "@/lib/rate-window";

const WINDOW_SECONDS = 60;
/** A PDF keeps the process busy for about a third of a second. A year's statements fit into a minute. */
export const PDFS_PER_MINUTE = 15;
/** All accounts together take at most a third of the process. */
export const PDFS_OF_ALL_PER_MINUTE = 60;

/** On globalThis, because each bundle of the console has its own copy of this module but the process has one counter. */
const shared = globalThis as typeof globalThis & { weirPdfRate?: RateWindow };

/** Counts a PDF that an account asks for. Throws rate_limited beyond what the account, or all together, may have. */
export function countPdf(userId: number, rate: RateWindow = sharedRate()): void {
  const wait =
    rate.add(`user:${userId}`, PDFS_PER_MINUTE, WINDOW_SECONDS) ||
    rate.add("all", PDFS_OF_ALL_PER_MINUTE, WINDOW_SECONDS);
  if (wait > 0) throw new AppError("rate_limited", "statementsTooMany", { seconds: wait });
}

function sharedRate(): RateWindow {
  shared.weirPdfRate ??= createRateWindow();
  return shared.weirPdfRate;
}
