import { type ComponentType, useEffect, useSyncExternalStore } from "react";

/** A component whose code comes after the page. */
export type Later<Props> = {
  /** Loads the code, if it is not here yet. */
  start: () => void;
  /** The component; null until its code is here. */
  read: () => ComponentType<Props> | null;
  subscribe: (listener: () => void) => () => void;
};

/** A load that failed is tried again when the component is wanted anew or the connection is back. */
export function later<Props>(load: () => Promise<ComponentType<Props>>): Later<Props> {
  let loaded: ComponentType<Props> | null = null;
  let isLoading = false;
  const listeners = new Set<() => void>();
  const start = () => {
    if (loaded || isLoading) return;
    isLoading = true;
    load().then(
      (component) => {
        loaded = component;
        for (const listener of listeners) listener();
      },
      () => {
        isLoading = false;
        window.addEventListener("online", start, { once: true });
      },
    );
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return { start, read: () => loaded, subscribe };
}

const readOnServer = () => null;

/** The component; null until its code is here. It is loaded at once if `wanted`, else when the browser has nothing to do. */
export function useLater<Props>(code: Later<Props>, wanted = false): ComponentType<Props> | null {
  useEffect(() => (wanted ? code.start() : whenIdle(code.start)), [code, wanted]);
  return useSyncExternalStore(code.subscribe, code.read, readOnServer);
}

const IDLE_MS_MAX = 2_000;

/** Runs it when the browser is idle, and returns what calls it off. Safari knows no idle time. */
function whenIdle(run: () => void): () => void {
  if (typeof requestIdleCallback !== "function") {
    const timer = setTimeout(run, IDLE_MS_MAX);
    return () => clearTimeout(timer);
  }
  const asked = requestIdleCallback(run, { timeout: IDLE_MS_MAX });
  return () => cancelIdleCallback(asked);
}
