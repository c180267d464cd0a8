import type { PageFailures } from "@/lib/http/away-page";

/** Next.js calls it with what a page throws, before it sends the answer: server/failed-page.ts. */
export function onRequestError(error: unknown): void {
  (globalThis as PageFailures).weirPageFailed?.(error);
}
