"use client";

import { useSyncExternalStore } from "react";

type OpenWindow = "palette" | "help" | null;

let open: OpenWindow = null;
const listeners = new Set<() => void>();

/**
 * Opens one window or closes both. Module state, so that components outside the tree (such as the top bar button) can call
 * it.
 */
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
