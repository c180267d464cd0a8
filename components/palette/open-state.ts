"use client";

import { useSyncExternalStore } from "react";

/** Which of the keyboard's windows is open. */
type OpenWindow = "palette" | "help" | null;

let open: OpenWindow = null;
const listeners = new Set<() => void>();

/** Opens one of them, or closes both: also for whoever has no part in the tree, such as the button in the top bar. */
export function showWindow(next: OpenWindow): void {
  open = next;
  for (const listener of listeners) listener();
}

export const shownWindow = (): OpenWindow => open;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useOpenWindow = () =>
  useSyncExternalStore(
    subscribe,
    () => open,
    () => null,
  );
